import { writeFile } from "node:fs/promises";
import { audit, COMMAND_LINE } from "../audit/audit.ts";
import type { AppContext } from "../context.ts";
import type { Db } from "../db/db.ts";
import { readSnapshot } from "../db/snapshot.ts";
import { openStorage } from "../files/storage/open-storage.ts";
import type { ImportCounts } from "../imports/counts.ts";
import type { StagedLeftOut } from "../imports/stage.ts";
import type { ExportFormat } from "./export-format.ts";
import { ExportTally } from "./export-tally.ts";
import type { ExportChoice, ExportWork } from "./export-work.ts";
import { chosenChannels, type ExportChannel } from "./read/channels.ts";
import { loadPeople } from "./read/people.ts";
import { openTarget } from "./target/open-target.ts";

/** The answer of an export: what `--json` prints. */
export interface ExportReport {
  readonly format: string;
  readonly status: "done";
  readonly counts: ImportCounts;
  readonly left_out: readonly StagedLeftOut[];
  readonly path: string;
  /** The things that the form cannot say, as sentences. */
  readonly lacks: readonly string[];
}

export interface ExportOptions {
  readonly format: ExportFormat;
  /** The folder or ZIP, as an absolute path. */
  readonly path: string;
  readonly choice: ExportChoice;
  /** Called with what would be taken before anything is written. It throws if that is not wanted. */
  agree(channels: readonly ExportChannel[]): Promise<void>;
  /** Called after each page with the messages that are read, of all that there are. */
  progress(read: number, all: number): void;
}

/**
 * Writes a part of the server's data in the form of another chat, beside a running server or without one. It reads a
 * snapshot, so a message that is written meanwhile is not in the export. What was interrupted is not complete by its name,
 * and the same call begins again. Errors: `ExportRefused`, `SourceError`.
 */
export async function runExport(ctx: AppContext, options: ExportOptions): Promise<ExportReport> {
  return readSnapshot(ctx.config.database, ctx.clock, (db) => exportFrom(ctx, db, options));
}

async function exportFrom(ctx: AppContext, db: Db, options: ExportOptions): Promise<ExportReport> {
  const { format, path, choice, agree } = options;
  const tally = new ExportTally();
  const { channels, leftOut } = await chosenChannels(db, choice.channels);
  for (const { id, kind } of leftOut) {
    const isTalk = kind === "direct" || kind === "group";
    tally.leaveOut({ kind: isTalk ? "direct" : "channel", reason: "not_chosen", example: String(id) });
  }
  await agree(channels);
  await using target = await openTarget(path);
  await noteInAudit(ctx, options, channels);
  const people = await loadPeople(db, channels, choice.people);
  if (choice.since !== null || people.isPart) people.deletedUser();
  const all = channels.reduce((sum, { messages }) => sum + messages, 0);
  const work: ExportWork = {
    db,
    config: ctx.config,
    storage: openStorage(ctx.config, ctx.log, { create: false }),
    now: ctx.clock.now(),
    choice,
    people,
    channels,
    tally,
    target,
    progress: (read) => options.progress(read, all),
  };
  await format.write(work);
  const { counts, leftOut: left_out } = tally;
  const report = { format: format.id, status: "done" as const, counts, left_out, path, lacks: format.lacks };
  await writeFile(reportPath(path), `${JSON.stringify(report, null, 1)}\n`, { mode: 0o600 });
  await target.finish();
  return report;
}

/** Beside the export, so that no other program takes it for a part of it. */
export const reportPath = (path: string): string => `${path.replace(/\.zip$/i, "")}.report.json`;

/** Most channels are named by their ids; a server may have very many. */
const NAMED_MAX = 200;

/** Before the first byte is written: whoever interrupts the export has its first part. */
function noteInAudit(
  ctx: AppContext,
  { format, choice }: ExportOptions,
  channels: readonly ExportChannel[],
): Promise<void> {
  const closed = channels.filter(({ kind }) => kind !== "public");
  return audit(ctx, COMMAND_LINE, "export_run", `export:${format.id}`, {
    channels: channels.length,
    private_channels: closed.length,
    private_channel_ids: closed.slice(0, NAMED_MAX).map(({ id }) => id),
    messages: channels.reduce((sum, { messages }) => sum + messages, 0),
    with_files: choice.withFiles,
    since: choice.since === null ? null : new Date(choice.since).toISOString(),
  });
}
