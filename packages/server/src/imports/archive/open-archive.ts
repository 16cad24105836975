import { stat } from "node:fs/promises";
import { SourceError } from "../source.ts";
import type { Archive, ArchiveLimits } from "./archive.ts";
import { openFile } from "./file-archive.ts";
import { openFolder } from "./folder-archive.ts";
import { openZip } from "./zip-archive.ts";

/** Opens an export for reading: a folder, a ZIP, or a single file of JSON lines. Errors: `SourceError`, for what is no archive, damaged or hostile. */
export async function openArchive(path: string, limits: ArchiveLimits = { maxBytes: null }): Promise<Archive> {
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    throw new SourceError(`${path} cannot be read: ${reasonOf(error)}.`);
  });
  if (found.isDirectory()) return openFolder(path);
  if (found.isFile() && path.endsWith(".jsonl")) return openFile(path, found.size);
  if (found.isFile()) return openZip(path, found.size, limits);
  throw new SourceError(`${path} is neither a file nor a folder.`);
}

const REASONS: Record<string, string> = { ENOENT: "it does not exist", EACCES: "this user may not read it" };
const reasonOf = ({ code, message }: NodeJS.ErrnoException): string => REASONS[code ?? ""] ?? message;
