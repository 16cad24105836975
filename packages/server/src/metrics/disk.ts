import { existsSync, statfsSync } from "node:fs";
import { dirname } from "node:path";

export interface DiskSpace {
  /** Bytes that this user may still write. `size` is the total. */
  free: number;
  size: number;
}

/** Returns the space on the disk that the folder is on or will be on. */
export function spaceAt(folder: string): DiskSpace {
  const { bavail, blocks, bsize } = statfsSync(existingFolder(folder));
  return { free: bavail * bsize, size: blocks * bsize };
}

/** Returns the folder, or the nearest existing parent it will be created in. */
export function existingFolder(folder: string): string {
  return existsSync(folder) ? folder : existingFolder(dirname(folder));
}
