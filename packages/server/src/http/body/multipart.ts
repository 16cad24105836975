import { fail } from "../../errors.ts";

/** An uploaded file. */
export interface UploadedFile {
  /** The name the client sent; may contain a path, or be empty. */
  name: string;
  bytes: Uint8Array;
}

/** One part of a form. */
export interface Part {
  name: string;
  /** null if the part is not declared as a file. */
  fileName: string | null;
  bytes: Buffer;
}

/** More parts than any form has. */
export const PARTS_MAX = 32;
export const HEADERS_MAX = 4_096;
export const CRLF = "\r\n";
const TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
const PARAMETER = new RegExp(`;[ \\t]*(${TOKEN})[ \\t]*=[ \\t]*(?:"((?:[^"\\\\]|\\\\.)*)"|([^;" \\t]*))[ \\t]*`, "y");

/** Returns the error of a malformed form. */
export const malformed = (message: string) => fail("invalid_request", { details: [{ path: "", message }] });

/**
 * Returns the boundary that a Content-Type of `multipart/form-data` names (RFC 2046, 5.1.1). Errors:
 * `unsupported_media_type`, `invalid_request`.
 */
export function boundaryOf(contentType: string | null): string {
  const kind = contentType?.split(";", 1)[0]?.trim().toLowerCase();
  if (contentType === null || kind !== "multipart/form-data") {
    throw fail("unsupported_media_type", { message: "Send the body as multipart/form-data." });
  }
  const boundary = parametersOf(contentType).get("boundary") ?? "";
  if (!/^[0-9A-Za-z'()+_,./:=? -]{0,69}[0-9A-Za-z'()+_,./:=?-]$/.test(boundary))
    throw malformed("Content-Type has no boundary");
  return boundary;
}

/**
 * Parses the parts of a form, held in memory (RFC 7578). Errors: `invalid_request`.
 *
 * Two parsers were tried against `multipart.test.ts` and fail it. Bun's `formData()` drops parts it cannot parse and
 * supports neither names without quotes (.NET) nor `filename*` (Python), so it would return such files as text.
 * `@fastify/busboy` 3.2.6 drops parts without a usable header, parts whose delimiter has trailing blanks and parts
 * whose content starts with the boundary, all without an error; it cuts content at a line that only starts with the
 * boundary.
 */
export function partsOf(body: Buffer, boundary: string): Part[] {
  const delimiter = Buffer.from(`${CRLF}--${boundary}`);
  const parts: Part[] = [];
  // Text before the first delimiter is a preamble to ignore; the delimiter may also open the body.
  let at = body.indexOf(delimiter.subarray(2)) === 0 ? delimiter.length - 2 : endOf(body, delimiter, 0);
  for (;;) {
    if (at === -1) throw malformed("the form has no end");
    if (body.toString("latin1", at, at + 2) === "--") return parts;
    if (parts.length === PARTS_MAX) throw malformed(`more than ${PARTS_MAX} parts`);
    const start = endOfLine(body, at);
    const headersEnd = start === -1 ? -1 : body.subarray(start, start + HEADERS_MAX).indexOf("\r\n\r\n");
    if (headersEnd === -1) throw malformed("a part has no headers or too many");
    const content = start + headersEnd + 4;
    const next = nextDelimiter(body, delimiter, content);
    if (next === -1) throw malformed("the form has no end");
    parts.push(partOf(body.toString("utf8", start, start + headersEnd), body.subarray(content, next)));
    at = next + delimiter.length;
  }
}

function endOf(body: Buffer, delimiter: Buffer, from: number): number {
  const at = nextDelimiter(body, delimiter, from);
  return at === -1 ? -1 : at + delimiter.length;
}

/**
 * Returns the next delimiter that fills a whole line, or the end: a longer line with the same prefix belongs to the
 * content.
 */
function nextDelimiter(body: Buffer, delimiter: Buffer, from: number): number {
  for (let at = body.indexOf(delimiter, from); at !== -1; at = body.indexOf(delimiter, at + 2)) {
    const after = at + delimiter.length;
    if (body.toString("latin1", after, after + 2) === "--" || endOfLine(body, after) !== -1) return at;
  }
  return -1;
}

/** Returns the position after a line break preceded only by blanks; -1 if something else precedes it. */
function endOfLine(body: Buffer, from: number): number {
  let at = from;
  while (body[at] === 0x20 || body[at] === 0x09) at += 1;
  return body[at] === 0x0d && body[at + 1] === 0x0a ? at + 2 : -1;
}

function partOf(headers: string, bytes: Buffer): Part {
  const { name, fileName } = partHead(headers);
  return { name, fileName, bytes };
}

/** What the headers of a part say. */
export interface PartHead {
  name: string;
  /** null if the part is not declared as a file. */
  fileName: string | null;
  /** The media type without parameters, in lower case; null without one. */
  type: string | null;
}

/** Reads the headers of a part. Errors: `invalid_request`. */
export function partHead(headers: string): PartHead {
  const form = /^content-disposition[ \t]*:[ \t]*form-data[ \t]*(;|$)/i;
  const parameters = parametersOf(headers.split(CRLF).find((line) => form.test(line)) ?? "");
  const name = parameters.get("name");
  if (name === undefined) throw malformed("a part has no name");
  const [, type = null] = /^content-type[ \t]*:[ \t]*([^;\s]+)/im.exec(headers) ?? [];
  return { name, fileName: fileNameOf(parameters), type: type?.toLowerCase() ?? null };
}

/** Prefers `filename*` if both are present (RFC 6266, 4.3), although forms should not have it. */
function fileNameOf(parameters: ReadonlyMap<string, string>): string | null {
  const plain = parameters.get("filename") ?? null;
  const encoded = /^utf-8'[^']*'(.*)$/i.exec(parameters.get("filename*") ?? "")?.[1];
  if (encoded === undefined) return plain;
  try {
    return decodeURIComponent(encoded);
  } catch {
    return plain ?? "";
  }
}

/** Returns the parameters of a header, by name. Browsers write a quote in a name as `%22`, others as `\"`. */
function parametersOf(header: string): Map<string, string> {
  const found = new Map<string, string>();
  PARAMETER.lastIndex = Math.max(header.indexOf(";"), 0);
  for (let match = PARAMETER.exec(header); match !== null; match = PARAMETER.exec(header)) {
    const [, name = "", quoted, plain = ""] = match;
    const value = quoted === undefined ? plain : quoted.replaceAll('\\"', '"').replaceAll("%22", '"');
    if (!found.has(name.toLowerCase())) found.set(name.toLowerCase(), value);
  }
  return found;
}
