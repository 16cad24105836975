import { isoTime, isoTimeOrNull } from "../base/iso-time.ts";
import type { AppContext } from "../context.ts";
import { countsOf, type ImportCounts } from "./counts.ts";
import { blockOf, findImport, type ImportRow, listImports } from "./imports.store.ts";
import { ImportRefused } from "./one-at-a-time.ts";

/** An import as operators see it. */
export interface ImportRecord {
  import_id: number;
  format: string;
  workspace: string;
  status: ImportRow["status"];
  counts: ImportCounts;
  /** Empty until all is written. */
  left_out: { kind: string; reason: string; count: number; examples: string[] }[];
  /** The part of the messages that is written, from 0 to 1. */
  progress: number;
  created_at: string;
  opened_at: string | null;
  undone_at: string | null;
}

/** Returns what operators see of an import. */
export async function recordOf(ctx: AppContext, row: ImportRow): Promise<ImportRecord> {
  const block = row.status === "writing" ? await blockOf(ctx.db, row.id) : null;
  const size = block === null ? 0 : block.last_id - block.first_id + 1;
  return {
    import_id: row.id,
    format: row.source.split(":")[0] ?? "",
    workspace: row.workspace,
    status: row.status,
    counts: countsOf(row.counts),
    left_out: leftOutOf(row.left_out),
    progress: row.status === "writing" ? (size === 0 ? 0 : Math.min(row.place / size, 1)) : 1,
    created_at: isoTime(row.created_at),
    opened_at: isoTimeOrNull(row.opened_at),
    undone_at: isoTimeOrNull(row.undone_at),
  };
}

const leftOutOf = (column: string | null): ImportRecord["left_out"] =>
  column === null ? [] : (JSON.parse(column) as ImportRecord["left_out"]);

/** Returns all imports, the oldest first. */
export async function allImports(ctx: AppContext): Promise<ImportRecord[]> {
  const records: ImportRecord[] = [];
  for (const row of await listImports(ctx.db)) records.push(await recordOf(ctx, row));
  return records;
}

/** Returns one import. Throws `ImportRefused` if there is none with this id. */
export async function oneImport(ctx: AppContext, id: number): Promise<ImportRecord> {
  const row = await findImport(ctx.db, id);
  if (row === null) throw new ImportRefused(noImport(id));
  return recordOf(ctx, row);
}

export const noImport = (id: number): string => `There is no import ${id}. \`parley import list\` shows all.`;
