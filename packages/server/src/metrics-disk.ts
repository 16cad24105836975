import { existsSync, statfsSync } from "node:fs";
import { dirname } from "node:path";

export interface DiskSpace {
  /** Bytes that this user may still write, and that there are at all. */
  free: number;
  size: number;
}

/** Of the disk a folder is on, or will be. */
export function spaceAt(folder: string): DiskSpace {
  const { bavail, blocks, bsize } = statfsSync(existingFolder(folder));
  return { free: bavail * bsize, size: blocks * bsize };
}

/** The folder itself, or the one it will be made in. */
export function existingFolder(folder: string): string {
  return existsSync(folder) ? folder : existingFolder(dirname(folder));
}
