import { counted } from "../base/counted.ts";
import { allImports, type ImportRecord, oneImport } from "../imports/import-record.ts";
import { ImportRefused } from "../imports/one-at-a-time.ts";
import { openImport } from "../imports/open/open.ts";
import { countLines, leftOutLine } from "../imports/report/summary.ts";
import { removeFiles } from "../imports/undo/remove-files.ts";
import { undoImport } from "../imports/undo/undo.ts";
import { MODULES } from "../modules.ts";
import { CommandError, type Invocation, print, UsageError } from "./command.ts";
import { openTool, openWritingTool, type Tool } from "./tool.ts";

/** Prints the imports of this server. */
export async function importList(call: Invocation): Promise<number> {
  await using tool = await openTool(call);
  const imports = await allImports(tool.ctx);
  print(call, { imports }, imports.length === 0 ? "There are no imports." : imports.map(lineOf).join("\n"));
  return 0;
}

/** Prints one import, its counts, and what it has left out. */
export async function importShow(call: Invocation): Promise<number> {
  const id = idIn(call);
  await using tool = await openTool(call);
  const record = await refusing(() => oneImport(tool.ctx, id));
  const leftOut = record.left_out.length === 0 ? [] : ["", "It has left out:", ...record.left_out.map(leftOutLine)];
  print(call, record, [lineOf(record), ...countLines(record.counts), ...leftOut].join("\n"));
  return 0;
}

/** Shows everybody what an import wrote, after `--keep-closed`. */
export async function importOpen(call: Invocation): Promise<number> {
  const id = idIn(call);
  await using tool = await openImportTool(call);
  await refusing(() => openImport(tool.ctx, id));
  print(call, await oneImport(tool.ctx, id), `Import ${id} is open. A running server shows it within 2 seconds.`);
  return 0;
}

/** Removes everything that an import made, if nobody has used it. */
export async function importUndo(call: Invocation): Promise<number> {
  const id = idIn(call);
  await using tool = await openImportTool(call);
  const row = await refusing(() => undoImport(tool.ctx, id));
  await removeFiles(tool.ctx.config.dataDir, row);
  print(call, await oneImport(tool.ctx, id), `Import ${id} is undone. Nothing of it is left.`);
  return 0;
}

/** Opens the database with a second connection, which holds the lock of imports, and with what modules do for others. */
export async function openImportTool(call: Invocation): Promise<Tool> {
  const tool = await openWritingTool(call, { poolSize: 2 });
  for (const module of MODULES) module.register?.(tool.ctx, MODULES);
  return tool;
}

/** Returns the number of the import that the command names. */
export function idIn({ positionals: [text = ""] }: Invocation): number {
  if (!/^[1-9][0-9]{0,14}$/.test(text))
    throw new UsageError("<id> must be the number of an import, as import list shows it");
  return Number(text);
}

/** Runs an act, and prints why it was refused. */
export async function refusing<T>(act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    throw error instanceof ImportRefused ? new CommandError(error.message) : error;
  }
}

function lineOf({ import_id, format, workspace, status, counts, progress, created_at }: ImportRecord): string {
  const state = status === "writing" ? `writing, ${Math.floor(progress * 100)} %` : status;
  const { channels, messages } = counts;
  const size = `${counted(messages.taken, "message")} in ${counted(channels.taken, "channel")}`;
  return [String(import_id), format, workspace, state, size, created_at].join("  ");
}
