import { posix } from "node:path";
import type { SourceFile } from "../../source.ts";
import { countOf, type Fields, textOf } from "../fields.ts";
import type { Layout } from "./result-file.ts";

/** The text that Telegram Desktop writes in place of a path: `(File not included. Change data exporting settings to download.)`. */
const ABSENT = /\((?:File|Photo) [^()]*\)$/;
const PATH_MAX = 4_096;

/** Reads the photo or file of a message. `id`: of the message. */
export function filesOf({ archive, root }: Layout, message: Fields, id: string): SourceFile[] {
  return ["photo", "file"].flatMap((field) => {
    const value = textOf(message, field);
    if (value === "" || value.length > PATH_MAX) return [];
    const path = posix.normalize(`${root}${value}`);
    const isHere = !ABSENT.test(value) && !path.startsWith("../") && archive.find(path) !== null;
    const ownName = textOf(message, "file_name") || (isHere ? posix.basename(path) : value.replace(ABSENT, "").trim());
    return [
      {
        id: `${id}/${field}`,
        name: ownName || textOf(message, "media_type") || field,
        mimeType: textOf(message, "mime_type") || null,
        size: countOf(message, field === "photo" ? "photo_file_size" : "file_size"),
        alt: textOf(message, "sticker_emoji") || null,
        path: isHere ? path : null,
        url: null,
      },
    ];
  });
}
