import { fileTypeFromBuffer } from "file-type";
import type { FilesTable } from "../../db/tables/files.ts";

/** The type of a file. */
export interface FoundType {
  /** What the bytes are; `PARLEY_FILE_TYPES` decides about it. */
  found: string;
  /** What it is served with: one of the types that pages may show, or `application/octet-stream`. */
  mimeType: string;
  kind: FilesTable["kind"];
}

export const OPAQUE = "application/octet-stream";
export const PLAIN = "text/plain";

/** The types that are shown in pages (protocol §13.2), by what `file-type` calls them. */
const SHOWN: Readonly<Record<string, string>> = {
  "image/png": "image/png",
  "image/apng": "image/png",
  "image/jpeg": "image/jpeg",
  "image/webp": "image/webp",
  "image/gif": "image/gif",
  "video/mp4": "video/mp4",
  "video/x-m4v": "video/mp4",
  "audio/mp4": "audio/mp4",
  "audio/x-m4a": "audio/mp4",
  "video/webm": "video/webm",
  "audio/webm": "audio/webm",
  "audio/mpeg": "audio/mpeg",
  "audio/ogg": "audio/ogg",
  "audio/opus": "audio/ogg",
  "video/ogg": "video/ogg",
  "audio/wav": "audio/wav",
  "audio/vnd.wave": "audio/wav",
};

/** Bytes at the beginning that decide the type. */
export const HEAD_BYTES = 64 * 1024;

/**
 * Finds the type in a file's first bytes. What the client says counts only for texts, and only against them: a text
 * that claims to be something else, or that a browser could take for a page, is served as mere bytes.
 */
export async function fileTypeOf(
  head: Uint8Array,
  { isText, declared, name }: { isText: boolean; declared: string | null; name: string },
): Promise<FoundType> {
  const found = (await fileTypeFromBuffer(head).catch(() => undefined))?.mime.split(";", 1)[0];
  if (found !== undefined) return typeOf(found);
  if (!isText) return typeOf(OPAQUE);
  return isPlain(head, declared, name) ? typeOf(PLAIN) : typeOf(markupType(head, name));
}

/** Returns the same file as bytes that no page shows. */
export const opaque = ({ found }: FoundType): FoundType => ({ found, mimeType: OPAQUE, kind: "other" });

function typeOf(found: string): FoundType {
  if (found === PLAIN) return { found, mimeType: PLAIN, kind: "text" };
  const mimeType = SHOWN[found];
  if (mimeType === undefined) return opaque({ found, mimeType: OPAQUE, kind: "other" });
  return { found, mimeType, kind: mimeType.split("/", 1)[0] as FoundType["kind"] };
}

const MARKUP_NAME = /\.(x?html?|xht|svgz?|xml|xsl|xslt|mht(ml)?|hta)$/i;
const MARKUP_TYPE = /(html|xml|svg)/;
/** Types of texts that do not begin with `text/`. */
const TEXT_TYPES =
  /^(text\/|application\/(octet-stream|json|x-ndjson|yaml|x-yaml|toml|sql|javascript|x-sh|csv|x-httpd-php)$)/;
const MARKUP =
  /^(?:\xef\xbb\xbf)?\s*<(?:!--|\?xml|(?:!doctype|html|head|body|script|style|svg|iframe|title|meta|link|img|object|embed|a|b|p|div|table|form|base|h1)(?=[\s>/]))/i;

function isPlain(head: Uint8Array, declared: string | null, name: string): boolean {
  if (MARKUP_NAME.test(name)) return false;
  if (declared !== null && (MARKUP_TYPE.test(declared) || !TEXT_TYPES.test(declared))) return false;
  const start = Buffer.from(head.buffer, head.byteOffset, head.byteLength).toString("latin1", 0, 1_024);
  return !MARKUP.test(start) && !start.includes("%PDF-");
}

/** Names a text that is not served as text, for the setting of allowed types. */
function markupType(head: Uint8Array, name: string): string {
  const start = Buffer.from(head.buffer, head.byteOffset, head.byteLength).toString("latin1", 0, 1_024);
  if (/<svg\b/i.test(start)) return "image/svg+xml";
  if (/<(!doctype html|html|head|body|script)\b/i.test(start) || /\.x?html?$/i.test(name)) return "text/html";
  if (start.includes("%PDF-")) return "application/pdf";
  return /^\s*<\?xml/i.test(start) ? "application/xml" : OPAQUE;
}

/** True if the setting of allowed types (null: any) has this type, itself or as `image/*`. */
export const isAllowed = (allowed: readonly string[] | null, type: string): boolean =>
  allowed === null || allowed.includes(type) || allowed.includes(`${type.split("/", 1)[0]}/*`);

/**
 * Looks at a file's bytes as they arrive and finds out whether they are text: valid UTF-8 without NUL and other control
 * characters that no text has. Costs almost nothing once they are not.
 */
export class TextProbe {
  #decoder: TextDecoder | null = new TextDecoder("utf-8", { fatal: true });

  add(piece: Uint8Array): void {
    if (this.#decoder === null) return;
    try {
      if (hasControl(piece)) this.#decoder = null;
      else this.#decoder.decode(piece, { stream: true });
    } catch {
      this.#decoder = null;
    }
  }

  /** Call once, after the last piece. */
  isText(): boolean {
    try {
      this.#decoder?.decode();
    } catch {
      return false;
    }
    return this.#decoder !== null;
  }
}

/** Tab, line feed, form feed, carriage return and escape (of colored logs) occur in texts. */
const isControl = (byte: number): boolean =>
  byte < 0x20 && byte !== 0x09 && byte !== 0x0a && byte !== 0x0c && byte !== 0x0d && byte !== 0x1b;

function hasControl(piece: Uint8Array): boolean {
  for (let at = 0; at < piece.length; at++) if (isControl(piece[at] ?? 0)) return true;
  return false;
}
