import { openArchive } from "../../../src/imports/archive/open-archive.ts";
import type { OpenSource } from "../../../src/imports/source.ts";
import type { Format, SourceOptions } from "../../../src/imports/sources/format.ts";
import { openSource } from "../../../src/imports/sources/open-source.ts";

/** Opens an export as the command does, at a time that stands still. */
export async function openExportAt(
  path: string,
  format: Format,
  now: number,
  options: Partial<Pick<SourceOptions, "zone" | "open">> = {},
): Promise<OpenSource> {
  const clock = { now: () => now };
  return openSource(await openArchive(path), format, { clock, zone: "UTC", open: new Set(), ...options });
}
