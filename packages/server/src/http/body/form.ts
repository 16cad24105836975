import { isUtf8 } from "node:buffer";
import { createHash } from "node:crypto";
import { fail } from "../../errors.ts";
import { checkEncoding, FORBIDDEN_KEYS, readBytes, requireText } from "./body.ts";
import { boundaryOf, type Part, partsOf, type UploadedFile } from "./multipart.ts";

/** A form with one file, as a route with `upload` accepts it. */
export interface Form {
  /** null if absent or empty; browsers send an empty file when none was chosen. */
  file: UploadedFile | null;
  texts: Record<string, string>;
  /** Identical for identical forms, whatever their boundary. */
  fingerprint: string;
}

/**
 * Reads a form of at most `limit` bytes. The part called `fileField` is the file, with or without a file name; the
 * others are texts.
 * Errors: `unsupported_media_type`, `body_too_large`, `invalid_request`.
 */
export async function readForm(request: Request, limit: number, fileField: string): Promise<Form> {
  const boundary = boundaryOf(request.headers.get("content-type"));
  checkEncoding(request);
  const parts = partsOf(await readBytes(request, limit), boundary);
  const seen = new Set<string>();
  for (const { name } of parts) {
    if (FORBIDDEN_KEYS.has(name)) throw refused(name, "This key is not allowed.");
    if (seen.has(name)) throw refused(name, "occurs twice");
    seen.add(name);
  }
  const file = fileOf(parts.find(({ name }) => name === fileField));
  const texts: Record<string, string> = {};
  for (const { name, bytes } of parts) if (name !== fileField) texts[name] = textOf(name, bytes);
  const digest = file === null ? null : createHash("sha256").update(file.bytes).digest("base64");
  return { file, texts, fingerprint: JSON.stringify([texts, file?.name, digest]) };
}

function fileOf(part: Part | undefined): UploadedFile | null {
  return part === undefined || part.bytes.length === 0 ? null : { name: part.fileName ?? "", bytes: part.bytes };
}

function textOf(name: string, bytes: Buffer): string {
  if (!isUtf8(bytes)) throw refused(name, "is not UTF-8");
  const text = bytes.toString("utf8");
  requireText(name);
  requireText(text);
  return text;
}

const refused = (path: string, message: string) => fail("invalid_request", { details: [{ path, message }] });
