import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { zipOf } from "./zip-writer.ts";

/** The files of an export by their names: JSON for values, bytes as they are. */
export type ExportFiles = Readonly<Record<string, unknown>>;

/** Returns the bytes of a file of an export. */
export const bytesOf = (value: unknown): Uint8Array =>
  value instanceof Uint8Array ? value : new TextEncoder().encode(JSON.stringify(value, null, 1));

/** Writes an export as a ZIP, and returns its path. `bytes`: for files that are no JSON. */
export async function writeExportZip(path: string, files: ExportFiles, bytes = bytesOf): Promise<string> {
  await writeFile(path, zipOf(Object.entries(files).map(([name, value]) => ({ name, bytes: bytes(value) }))));
  return path;
}

/** Writes an export as a folder, and returns its path. */
export async function writeExportFolder(folder: string, files: ExportFiles, bytes = bytesOf): Promise<string> {
  for (const [name, value] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), bytes(value));
  }
  return folder;
}
