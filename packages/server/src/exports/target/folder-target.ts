import { type FileHandle, mkdir, open, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { ExportRefused } from "../refusal.ts";
import { diskError } from "./disk-error.ts";
import { gathering, type Target, type TargetFile } from "./target.ts";

/** Says in a folder that its export has not ended. */
const MARKER = "INCOMPLETE.txt";
const MARKED = "This export is incomplete: it is still written, or was interrupted. Run the same command again.\n";

/**
 * Opens a folder that is absent or empty. One that an interrupted export has left is emptied first: all of it was the
 * export's. Errors: `ExportRefused`.
 */
export async function openFolderTarget(path: string): Promise<Target> {
  await mkdir(path, { recursive: true, mode: 0o700 });
  const names = await readdir(path);
  const marker = join(path, MARKER);
  if (names.length > 0 && !(await isMarked(marker)))
    throw new ExportRefused(`${path} is not empty. Name a new folder, or an empty one.`);
  await writeFile(marker, MARKED, { mode: 0o600 });
  for (const name of names) if (name !== MARKER) await rm(join(path, name), { recursive: true });
  const folders = new Set([path]);
  const main = new Map<string, string>();
  return {
    path,
    async file(name, { isMain = false } = {}) {
      const to = join(path, name);
      const folder = dirname(to);
      if (!folders.has(folder)) await mkdir(folder, { recursive: true, mode: 0o700 });
      folders.add(folder);
      const partial = `${to}.partial`;
      if (isMain) main.set(partial, to);
      return gathering(await openFile(partial, isMain ? null : to));
    },
    async finish() {
      for (const [partial, to] of main) await rename(partial, to);
      await rm(marker);
    },
    async [Symbol.asyncDispose]() {},
  };
}

/** Another program may name a file so, and what is beside it is not the export's. The process may be killed before it has text. */
async function isMarked(marker: string): Promise<boolean> {
  try {
    const text = await readFile(marker, "utf8");
    return text === MARKED || text === "";
  } catch (error) {
    if (/^(?:ENOENT|EISDIR)$/.test((error as NodeJS.ErrnoException).code ?? "")) return false;
    throw error;
  }
}

/** `to`: the name that the file gets when it is closed; null: it keeps its own. */
async function openFile(path: string, to: string | null): Promise<TargetFile> {
  const file = await failing(path, () => open(path, "wx", 0o600));
  return {
    write: (data) => failing(path, () => writeAll(file, typeof data === "string" ? Buffer.from(data) : data)),
    async close() {
      await failing(path, () => file.close());
      if (to !== null) await rename(path, to);
    },
  };
}

async function writeAll(file: FileHandle, bytes: Uint8Array): Promise<void> {
  for (let from = 0; from < bytes.length; ) from += (await file.write(bytes, from)).bytesWritten;
}

async function failing<T>(path: string, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    throw diskError(path, error);
  }
}
