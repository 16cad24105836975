import type { AppContext } from "../../context.ts";
import { transact } from "../../db/transact.ts";
import { countsOf, type ImportCounts, noCounts } from "../counts.ts";
import type { FetchFile } from "../files/take-files.ts";
import * as store from "../imports.store.ts";
import type { LateMode } from "../late/late.store.ts";
import { saltOf } from "../map.store.ts";
import { ImportRefused } from "../one-at-a-time.ts";
import type { OpenSource, SourceFormat } from "../source.ts";
import type { Stage, StagedChannel, StagedLeftOut } from "../stage.ts";
import type { PersonChoice } from "./people.ts";

export interface WriteOptions {
  format: SourceFormat;
  /** Of the export (`OpenSource.fingerprint`). */
  fingerprint: string;
  /** What to do with people, by their ids in the source. */
  people?: ReadonlyMap<string, PersonChoice>;
  /** Returns the slug that a channel gets, undefined for that of its name; null if the channel is not taken. */
  slugOf?(channel: StagedChannel): string | undefined | null;
  /** The account that owns public channels whose creator is unknown. */
  ownerId?: number | null;
  /** The fate of messages that cannot be added to a channel that is here; absent: they get a second channel. */
  late?: LateMode;
  /** Opens the bytes of a file of the export (`OpenSource.file`); absent: files are not taken. */
  openFile?: OpenSource["file"];
  /** Fetches a file of which the export has only a link; absent: they are left out. Throws `SourceError` if it is not there. */
  fetchFile?: FetchFile;
  /** The export's pictures of people and emoji; absent: none are taken. */
  pictures?: Pick<OpenSource, "emoji" | "file">;
  /** More details for the audit log: private things, and accounts that were there before. */
  audited?: object;
  /** A server runs beside this process, and must get its turns to write. */
  rests?: boolean;
  /** Called after each transaction. */
  progress?(written: number): void;
  /** Called before messages are written, after each picture of a person, with their number. */
  pictureProgress?(count: number): void;
}

export interface Written {
  importId: number;
  status: store.ImportRow["status"];
  counts: ImportCounts;
  /** Pictures and emoji that are left out. */
  leftOut: readonly StagedLeftOut[];
  /** All of the export was taken before. */
  isRepeated: boolean;
}

/** Everything of the export was taken before. */
export function repeated({ id, status, counts: column }: store.ImportRow): Written {
  const counts = noCounts();
  for (const [name, { taken, known }] of Object.entries(countsOf(column)))
    counts[name as keyof ImportCounts].known = taken + known;
  return { importId: id, status, counts, leftOut: [], isRepeated: true };
}

/** Returns the import of an export: a new one, or the one that is not finished or was finished before. */
export async function beginOrGoOn(ctx: AppContext, stage: Stage, options: WriteOptions): Promise<store.ImportRow> {
  const source = `${options.format}:${stage.workspace.id}`;
  return transact(ctx, async (ctx) => {
    const all = (await store.listImports(ctx.db)).filter(({ status }) => status !== "undone");
    const same = all.find((row) => row.source === source && row.fingerprint === options.fingerprint);
    const unfinished = all.find(({ status }) => status === "writing" || status === "undoing");
    if (unfinished !== undefined && unfinished !== same)
      throw new ImportRefused(
        `Import ${unfinished.id} (${unfinished.workspace}) is not finished. Run it again with the same file, or undo it with \`parley import undo ${unfinished.id}\`.`,
      );
    if (same?.status === "undoing")
      throw new ImportRefused(`Import ${same.id} is being undone. End that with \`parley import undo ${same.id}\`.`);
    if (same !== undefined) return same;
    // Its people are still hidden, and this one would show channels that they are in.
    const closed = all.find((row) => row.source === source && row.status === "closed");
    if (closed !== undefined)
      throw new ImportRefused(`Import ${closed.id} is written but not open. Open it or undo it first.`);
    const row = {
      status: "writing" as const,
      source,
      workspace: stage.workspace.name,
      fingerprint: options.fingerprint,
      salt: (await saltOf(ctx.db, source)) || Buffer.from(ctx.clock.random(16)).toString("hex"),
      place: 0,
      counts: JSON.stringify(noCounts()),
      left_out: null,
      created_at: ctx.clock.now(),
      opened_at: null,
      undone_at: null,
    };
    return { ...row, id: await store.insertImport(ctx.db, row) };
  });
}
