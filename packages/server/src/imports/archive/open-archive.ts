import { open, stat } from "node:fs/promises";
import { SourceError } from "../source.ts";
import type { Archive, ArchiveLimits } from "./archive.ts";
import { openFile } from "./file-archive.ts";
import { openFolder } from "./folder-archive.ts";
import { openTar, openTarGz } from "./tar-archive.ts";
import { BLOCK, isTar } from "./tar-header.ts";
import { openZip } from "./zip-archive.ts";

/**
 * Opens an export for reading: a folder, or a file that its first bytes tell, whatever its name; one of JSON lines has none,
 * so its name tells it. Errors: `SourceError`, for what is no archive, damaged or hostile.
 */
export async function openArchive(path: string, limits: ArchiveLimits = { maxBytes: null }): Promise<Archive> {
  const { temporaryFolder } = limits;
  const archive = await opened(path, limits);
  return temporaryFolder === undefined ? archive : { ...archive, temporaryFolder };
}

async function opened(path: string, limits: ArchiveLimits): Promise<Archive> {
  const found = await stat(path).catch(unreadable(path));
  if (found.isDirectory()) return openFolder(path);
  if (!found.isFile()) throw new SourceError(`${path} is neither a file nor a folder.`);
  const start = await startOf(path).catch(unreadable(path));
  if (start[0] === 0x1f && start[1] === 0x8b) return openTarGz(path, found.size, limits);
  if (path.endsWith(".jsonl")) return openFile(path, found.size);
  return isTar(start) ? openTar(path, found.size) : openZip(path, found.size, limits);
}

const unreadable = (path: string) => (error: NodeJS.ErrnoException) => {
  throw new SourceError(`${path} cannot be read: ${reasonOf(error)}.`);
};

async function startOf(path: string): Promise<Uint8Array> {
  await using file = await open(path, "r");
  const { buffer, bytesRead } = await file.read(Buffer.alloc(BLOCK), 0, BLOCK, 0);
  return buffer.subarray(0, bytesRead);
}

const REASONS: Record<string, string> = { ENOENT: "it does not exist", EACCES: "this user may not read it" };
const reasonOf = ({ code, message }: NodeJS.ErrnoException): string => REASONS[code ?? ""] ?? message;
