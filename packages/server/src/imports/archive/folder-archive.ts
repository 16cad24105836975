import { constants, lstat, open, opendir } from "node:fs/promises";
import { join } from "node:path";
import { SourceError } from "../source.ts";
import type { Archive } from "./archive.ts";
import { wholeFile } from "./block-reader.ts";
import { EntryList } from "./entry-list.ts";
import { quoted } from "./entry-names.ts";

const FOLDERS_DEEP = 32;

/** Opens a folder. Links in it are not followed: they are left out, as if they were not there. */
export async function openFolder(path: string): Promise<Archive> {
  const entries = new EntryList(path);
  try {
    await addFolder(entries, path, "", 0);
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

async function addFolder(entries: EntryList, root: string, folder: string, depth: number): Promise<void> {
  if (depth > FOLDERS_DEEP) throw new SourceError(`${root} has folders that are more than ${FOLDERS_DEEP} deep.`);
  for await (const found of await opendir(join(root, folder))) {
    const name = `${folder}${found.name}`;
    if (found.isDirectory()) {
      entries.count(`${name}/`);
      await addFolder(entries, root, `${name}/`, depth + 1);
    } else if (found.isFile()) {
      const { size } = await lstat(join(root, name));
      entries.add(name, size);
    }
  }
}

async function* readFile(entries: EntryList, root: string, name: string): AsyncGenerator<Uint8Array> {
  const entry = entries.find(name);
  if (entry === null) throw new SourceError(`${root} has no file ${quoted(name)}.`);
  // A file that became a link since the folder was listed is not followed.
  const file = await open(join(root, name), constants.O_RDONLY | constants.O_NOFOLLOW);
  yield* wholeFile(file, entry.size, join(root, name));
}
