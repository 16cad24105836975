import type { FileKind, FileRecord } from "@parley/protocol/files";
import { localeOf, pageLanguage } from "../../i18n/locale.ts";

/** How a file is shown; the gallery filters by the same names. */
export const FILE_KINDS: readonly FileKind[] = ["image", "video", "audio", "text", "other"];

/** Returns how a file of this media type is shown. */
export function kindOf(mimeType: string): FileKind {
  const [group] = mimeType.split("/", 1);
  if (group === "image" || group === "video" || group === "audio" || group === "text") return group;
  // Ogg files of sound and of pictures share a type.
  return mimeType === "application/ogg" ? "audio" : "other";
}

/** True if the file is a picture that can be laid out before it has loaded. */
export const isPicture = <T extends FileRecord>(file: T): file is T & Picture =>
  kindOf(file.mime_type) === "image" && file.width !== null && file.height !== null;

/** A picture whose size is known. */
export type Picture = FileRecord & { width: number; height: number };

/** Returns the file's extension in capitals, such as `PDF`; null without a short one. */
export function extensionOf(name: string): string | null {
  const [, extension] = /[^.]\.([\p{L}\p{N}]{1,6})$/u.exec(name) ?? [];
  return extension?.toUpperCase() ?? null;
}

const UNITS = ["KiB", "MiB", "GiB"] as const;

/** Writes a number of bytes: `812 B`, `1.4 MiB`. Units of 1024, as the server's limits are. */
export function sizeText(bytes: number): string {
  let value = bytes;
  let unit = "B";
  for (const next of UNITS) {
    // 1023.95 would be written as 1024.
    if (value < 1023.95) break;
    value /= 1024;
    unit = next;
  }
  const isWhole = unit === "B" || value >= 100 || Number.isInteger(value);
  const digits = { maximumFractionDigits: isWhole ? 0 : 1, useGrouping: false };
  return `${value.toLocaleString(localeOf(pageLanguage()), digits)} ${unit}`;
}
