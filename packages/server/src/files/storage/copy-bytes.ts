import { createHash } from "node:crypto";
import { open, rm } from "node:fs/promises";
import { join } from "node:path";
import type { FileStorage } from "./file-storage.ts";

/** Bytes to copy, and their keys in the two storages. */
export interface Wanted {
  sha256: string;
  size: number;
  source: string;
  target: string;
}

export interface CopyReport {
  /** Files that were copied now. */
  copied: number;
  copiedBytes: number;
  /** Files that the target had already. */
  present: number;
  /** Hashes that the source does not have. */
  missing: string[];
  /** Hashes whose bytes in the source are others. They are not copied. */
  damaged: string[];
}

/**
 * Copies what is needed and not there yet from one storage to another, and checks each hash on the way. What was copied
 * before an error or a kill is whole and stays; a repetition continues there. Errors: those of the two storages.
 */
export async function copyBytes(from: FileStorage, to: FileStorage, needed: Iterable<Wanted>): Promise<CopyReport> {
  const report: CopyReport = { copied: 0, copiedBytes: 0, present: 0, missing: [], damaged: [] };
  for (const { sha256, size, source, target } of needed) {
    if ((await to.size(target)) === size) {
      report.present++;
      continue;
    }
    const bytes = await from.read(source);
    if (bytes === null) {
      report.missing.push(sha256);
      continue;
    }
    const path = join(to.incoming, `copy-${process.pid}-${sha256}`);
    try {
      if ((await writeHashed(path, bytes)) === sha256) {
        await to.store(target, path);
        report.copied++;
        report.copiedBytes += size;
      } else report.damaged.push(sha256);
    } finally {
      await rm(path, { force: true });
    }
  }
  return report;
}

/** Writes the bytes to a new private file, and returns their hash. */
async function writeHashed(path: string, bytes: Blob | ReadableStream<Uint8Array>): Promise<string> {
  await rm(path, { force: true });
  const file = await open(path, "wx", 0o600);
  const hash = createHash("sha256");
  const stream = bytes instanceof Blob ? bytes.stream() : bytes;
  try {
    for await (const part of stream) {
      hash.update(part);
      for (let at = 0; at < part.length; ) at += (await file.write(part, at)).bytesWritten;
    }
  } finally {
    await file.close();
  }
  return hash.digest("hex");
}
