import { posix } from "node:path";
import type { Archive } from "../../archive/archive.ts";
import type { SourceFile } from "../../source.ts";
import { countOf, type Fields, partOf, partsOf, textOf } from "../fields.ts";
import { ownEmbeds } from "./own-embeds.ts";
import { withoutTokens } from "./text/link-tokens.ts";

const FOLDERS_MAX = 8;
const PATH_MAX = 4_096;
/** Discord shows four pictures of an embed. */
const PICTURES_MAX = 10;
/** Stickers of this kind are drawn by a program. */
const DRAWN = "Lottie";

/** Returns the files of a message: its attachments, its stickers that are pictures, and the pictures of a bot's embeds. */
export function filesOf(archive: Archive, jsonFile: string, message: Fields, isBot: boolean): SourceFile[] {
  const attachments = partsOf(message, "attachments").map((each) =>
    mediaFile(
      archive,
      jsonFile,
      { id: textOf(each, "id"), name: textOf(each, "fileName"), url: textOf(each, "url") },
      each,
    ),
  );
  const stickers = partsOf(message, "stickers")
    .filter((each) => textOf(each, "format") !== DRAWN)
    .map((each) => {
      const url = textOf(each, "sourceUrl");
      const [, extension = "png"] = /\.(png|gif|webp|jpe?g)(?:\?|$)/i.exec(url.slice(-PATH_MAX)) ?? [];
      const name = `${textOf(each, "name") || "sticker"}.${extension}`;
      return mediaFile(archive, jsonFile, { id: textOf(each, "id"), name, url }, {});
    });
  const pictures = ownEmbeds(message, isBot)
    .flatMap(picturesOf)
    .map((each) => {
      const [url, address] = [textOf(each, "url"), textOf(each, "canonicalUrl")];
      const name = (address || url).slice(0, PATH_MAX).split(/[?#]/)[0]?.split(/[\\/]/).at(-1) || "picture";
      return mediaFile(archive, jsonFile, { id: "", name, url }, {});
    });
  return [...new Map([...attachments, ...stickers, ...pictures].map((file) => [file.id, file])).values()];
}

/** Until 2022 an embed had only one picture. */
function picturesOf(embed: Fields): Fields[] {
  const listed = partsOf(embed, "images").slice(0, PICTURES_MAX);
  const all = listed.length > 0 ? listed : [partOf(embed, "image")];
  return all.filter((each) => textOf(each, "url") !== "");
}

/** Returns the names of stickers that are no pictures. */
export const drawnStickers = (message: Fields): string[] =>
  partsOf(message, "stickers")
    .filter((each) => textOf(each, "format") === DRAWN)
    .map((each) => textOf(each, "name"))
    .filter((name) => name !== "");

function mediaFile(
  archive: Archive,
  jsonFile: string,
  { id, name, url }: { id: string; name: string; url: string },
  fields: Fields,
): SourceFile {
  const isLink = /^https?:\/\//i.test(url);
  return {
    id: id || url.split("?")[0]?.slice(-200) || name,
    name: withoutTokens(name) || id || "file",
    mimeType: null,
    size: countOf(fields, "fileSizeBytes"),
    alt: null,
    path: isLink ? null : mediaPath(archive, jsonFile, url),
    url: isLink ? url : null,
  };
}

/** Returns the picture of a person or emoji; undefined if the export does not have it. */
export function picture(archive: Archive, jsonFile: string, url: string): SourceFile | undefined {
  const path = url === "" || /^https?:\/\//i.test(url) ? null : mediaPath(archive, jsonFile, url);
  if (path === null) return undefined;
  const name = posix.basename(path);
  return { id: path, name, mimeType: null, size: archive.find(path)?.size ?? null, alt: null, path, url: null };
}

/**
 * Finds a downloaded file. Its path is relative to the JSON file, or that of the machine which made the export, with the
 * separators of its system. The folders that both have at their end lead to the file.
 */
function mediaPath(archive: Archive, jsonFile: string, path: string): string | null {
  if (path === "" || path.length > PATH_MAX) return null;
  const parts = path.split(/[\\/]+/).filter((part) => part !== "" && part !== ".");
  const folder = posix.dirname(jsonFile);
  for (let from = Math.max(0, parts.length - FOLDERS_MAX); from < parts.length; from += 1) {
    const end = parts.slice(from).join("/");
    for (const name of new Set([posix.join(folder, end), posix.normalize(end)])) {
      for (const form of new Set([name, name.normalize("NFC"), name.normalize("NFD")])) {
        if (!form.startsWith("../") && archive.find(form) !== null) return form;
      }
    }
  }
  return null;
}
