import { dirname } from "node:path";
import { spaceAt } from "../../metrics/disk.ts";
import { SourceError } from "../source.ts";
import type { ArchiveLimits } from "./archive.ts";

export const MIB = 1024 * 1024;
const GIB = 1024 * MIB;
/** Above so many bytes a file is refused if it unpacks to more than `RATIO_MAX` times its packed size. */
const RATIO_FROM = 100 * MIB;
export const RATIO_MAX = 200;
/** All files of an archive together: this many times the archive, and one GiB. */
const TOTAL_FACTOR = 100;
/** The part of the disk that an import leaves free, as uploads do. */
const FREE_SHARE = 0.05;

/** Returns true for a ratio that no exporting program reaches. */
export const isBomb = (bytes: number, packedSize: number): boolean =>
  bytes > RATIO_FROM && bytes > RATIO_MAX * packedSize;

/** Returns how many bytes all files of an archive of this size may have. */
export const mostBytes = (size: number, { maxBytes }: ArchiveLimits): number => maxBytes ?? TOTAL_FACTOR * size + GIB;

/** `what`: what the archive would do, such as `it would unpack to 2.0 GiB`. */
export const tooLarge = (path: string, what: string, most: number): SourceError =>
  new SourceError(
    `${path} is refused: ${what}, and at most ${inGib(most)} are expected of an archive of its size. If you trust it, allow more with --max-size.`,
  );

export const inGib = (bytes: number): string => `${(bytes / GIB).toFixed(1)} GiB`;

/** Refuses to write so many bytes to a file if the disk would have less than 5 % free. Errors: `SourceError`. */
export function checkRoom(path: string, needed: number): void {
  const { free, size } = spaceAt(dirname(path));
  if (free - needed >= FREE_SHARE * size) return;
  const mib = (bytes: number): string => `${Math.ceil(bytes / MIB)} MiB`;
  throw new SourceError(
    `The disk of ${dirname(path)} has ${mib(free)} free. The import needs ${mib(needed)}, and leaves 5 % of the disk (${mib(FREE_SHARE * size)}) free. Free some space, then try again.`,
  );
}
