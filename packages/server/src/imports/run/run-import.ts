import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { AppContext } from "../../context.ts";
import { chosenSlug } from "../channel-choice.ts";
import type { Choice } from "../chosen-part.ts";
import { FileFetcher } from "../files/fetch-file.ts";
import { moveImport } from "../imports.store.ts";
import { openImport } from "../open/open.ts";
import type { PeopleMap } from "../people-map.ts";
import { finishedReport } from "../report/finished-report.ts";
import type { ImportReport } from "../report/report.ts";
import { writeImport } from "../write/write.ts";
import { importsFolder, type Staged } from "./staged.ts";

export interface RunOptions {
  readonly choice: Choice;
  readonly people: PeopleMap;
  /** The account that owns public channels whose creator is unknown. */
  readonly ownerId: number | null;
  /** Everything is written, and nobody sees it yet. */
  readonly keepsClosed: boolean;
  /** The hosts of the chat's own files (`Format.fileHosts`). */
  readonly fileHosts: RegExp | undefined;
  /** A server runs beside this process, and must get its turns to write. */
  readonly rests: boolean;
  /** Called after each transaction with the number of messages that are written, or passed over. */
  progress(written: number): void;
  /** Called before messages are written, after each picture of a person, with their number. */
  pictureProgress(count: number): void;
}

/** The result of an import, and the JSON file that has it. */
export interface FinishedImport {
  readonly report: ImportReport;
  readonly path: string;
  /** All of it was taken before: the report of that time is kept. */
  readonly isRepeated: boolean;
}

/**
 * Writes what is staged, and shows it in one transaction (protocol §14.1). After a kill, the same call goes on where the
 * other has stopped. Throws `ImportRefused` while another import is written or not finished.
 */
export async function runImport(ctx: AppContext, staged: Staged, options: RunOptions): Promise<FinishedImport> {
  const { stage, source } = staged;
  const { choice, people } = options;
  await using fetcher = new FileFetcher(ctx, options.fileHosts, importsFolder(ctx.config.dataDir));
  let written = await writeImport(ctx, stage, {
    format: source.format,
    fingerprint: source.fingerprint,
    people: people.choices,
    slugOf: (channel) => chosenSlug(choice.channels, channel),
    ownerId: options.ownerId,
    late: choice.late,
    audited: {
      private_channels: stage.channels().filter(({ kind }) => kind !== "public").length,
      accounts_used: [...people.used.values()].map(({ username }) => username),
    },
    ...(choice.fetchesFiles ? { fetchFile: fetcher.fetch } : {}),
    ...(choice.withFiles ? { openFile: (path) => source.file(path) } : {}),
    pictures: source,
    rests: options.rests,
    progress: options.progress,
    pictureProgress: options.pictureProgress,
  });
  if (!options.keepsClosed) {
    const { status } = await openImport(ctx, written.importId);
    written = { ...written, status };
  }
  const report = await finishedReport(ctx, stage, written, {
    format: source.format,
    lacks: source.lacks,
    choice: choice.channels,
    withFiles: choice.withFiles,
    fetchesFiles: choice.fetchesFiles,
  });
  const { importId: id, status, isRepeated } = written;
  // The import's own record must count what the reading has left out, too.
  if (!isRepeated) await moveImport(ctx.db, { id, status }, recordedOf(report));
  const folder = join(importsFolder(ctx.config.dataDir), String(id));
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, "report.json");
  if (!isRepeated || !existsSync(path)) await writeFile(path, `${JSON.stringify(report, null, 1)}\n`, { mode: 0o600 });
  await staged.discard();
  return { report, path, isRepeated };
}

const recordedOf = ({ counts, left_out }: ImportReport) => ({
  counts: JSON.stringify(counts),
  left_out: JSON.stringify(left_out),
});
