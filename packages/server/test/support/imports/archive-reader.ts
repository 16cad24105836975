import { expect } from "bun:test";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { openArchive } from "../../../src/imports/archive/open-archive.ts";
import { SourceError } from "../../../src/imports/source.ts";
import { temporaryFolder } from "../config.ts";

/** Where the archives of the tests of a file are. */
export const folder = temporaryFolder();

let files = 0;
/** Writes an archive. Its name says nothing of what it is. */
export async function write(bytes: Uint8Array): Promise<string> {
  files += 1;
  const path = join(folder, `${files}.zip`);
  await writeFile(path, bytes);
  return path;
}

/** Opens an archive, and reads everything in it. */
export async function readAll(path: string, maxBytes: number | null = null): Promise<Record<string, string>> {
  await using archive = await openArchive(path, { maxBytes, temporaryFolder: join(folder, "gunzipped") });
  const found: Record<string, string> = {};
  for (const { name } of archive.under("")) {
    const chunks: Uint8Array[] = [];
    for await (const chunk of archive.read(name)) chunks.push(chunk);
    found[name] = Buffer.concat(chunks).toString();
  }
  return found;
}

/** Returns why an archive is refused. */
export async function refusal(path: string): Promise<string> {
  const error = await readAll(path).catch((error: unknown) => error);
  expect(error).toBeInstanceOf(SourceError);
  return (error as Error).message.replace(path, "FILE");
}
