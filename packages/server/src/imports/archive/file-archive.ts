import { open } from "node:fs/promises";
import { basename } from "node:path";
import { SourceError } from "../source.ts";
import type { Archive } from "./archive.ts";
import { wholeFile } from "./block-reader.ts";
import { EntryList } from "./entry-list.ts";
import { quoted } from "./entry-names.ts";

/** Opens a single file as an archive that has nothing else. */
export async function openFile(path: string, size: number): Promise<Archive> {
  const entries = new EntryList(path);
  try {
    entries.add(basename(path), size);
  } catch (error) {
    entries[Symbol.dispose]();
    throw error;
  }
  return {
    ...entries.directory,
    read: (name) => readFile(entries, path, name),
    [Symbol.asyncDispose]: async () => entries[Symbol.dispose](),
  };
}

async function* readFile(entries: EntryList, path: string, name: string): AsyncGenerator<Uint8Array> {
  const entry = entries.find(name);
  if (entry === null) throw new SourceError(`${path} has no file ${quoted(name)}.`);
  yield* wholeFile(await open(path, "r"), entry.size, path);
}
