import { JSON_DEPTH } from "@parley/protocol/limits";
import { fail } from "../../errors.ts";

const QUOTE = 34;
const BACKSLASH = 92;
const OPEN_BRACE = 123;
const OPEN_BRACKET = 91;
const CLOSE_BRACE = 125;
const CLOSE_BRACKET = 93;

/** Keys that could reach an object's prototype when a body is copied carelessly (protocol §0). */
export const FORBIDDEN_KEYS: ReadonlySet<string> = new Set(["__proto__", "constructor", "prototype"]);

/** Parses JSON of a bounded depth without forbidden keys, NULs or lone surrogates (PostgreSQL stores neither). */
export function parseJson(text: string): unknown {
  const value = readJson(text);
  refuseUnstorable(text, value);
  return value;
}

/**
 * The first half of `parseJson`. Checks the depth before parsing, because deep nesting is what makes parsers and
 * validators slow.
 */
export function readJson(text: string): unknown {
  if (isDeeperThan(text, JSON_DEPTH))
    throw fail("invalid_json", { message: `The body is nested deeper than ${JSON_DEPTH} levels.` });
  try {
    return JSON.parse(text);
  } catch {
    throw fail("invalid_json");
  }
}

/**
 * The second half of `parseJson`. Skips the walk unless the text has an escape or a suspicious word; otherwise there is
 * nothing to find.
 */
export function refuseUnstorable(text: string, value: unknown): void {
  if (text.includes("\\u") || text.includes("proto") || text.includes("constructor")) inspect(value);
}

/** Counts brackets outside strings. */
export function isDeeperThan(text: string, limit: number): boolean {
  let depth = 0;
  let inString = false;
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (inString) {
      if (c === BACKSLASH) i++;
      else if (c === QUOTE) inString = false;
    } else if (c === QUOTE) inString = true;
    else if (c === OPEN_BRACE || c === OPEN_BRACKET) {
      if (++depth > limit) return true;
    } else if (c === CLOSE_BRACE || c === CLOSE_BRACKET) depth--;
  }
  return false;
}

function inspect(value: unknown): void {
  if (typeof value === "string") requireText(value);
  else if (Array.isArray(value)) for (const item of value) inspect(item);
  else if (value !== null && typeof value === "object") {
    for (const [key, item] of Object.entries(value)) {
      if (FORBIDDEN_KEYS.has(key))
        throw fail("invalid_request", { details: [{ path: key, message: "This key is not allowed." }] });
      requireText(key);
      inspect(item);
    }
  }
}

/** Throws on text that cannot be stored as UTF-8 on every database. */
export function requireText(text: string): void {
  if (!isStorable(text)) {
    throw fail("invalid_request", { message: "Text must not contain NUL characters or lone surrogates." });
  }
}

/** True if the text can be stored as UTF-8 on every database. */
export const isStorable = (text: string): boolean => !text.includes("\0") && text.isWellFormed();

const UTF8 = new TextDecoder("utf-8", { fatal: true });

/** Decodes UTF-8. Invalid bytes would otherwise be stored as `\uFFFD` without an error. Errors: `invalid_json`. */
export function decodeText(bytes: Uint8Array): string {
  try {
    return UTF8.decode(bytes);
  } catch {
    throw fail("invalid_json", { message: "The body is not UTF-8." });
  }
}

/**
 * Rejects a body by its `Content-Length` before reading a byte. Returns false if the request does not declare a length.
 */
export function checkDeclaredLength(request: Request, limit: number): boolean {
  const declared = request.headers.get("content-length");
  if (declared !== null && Number(declared) > limit) throw tooLarge(limit);
  return declared !== null;
}

const tooLarge = (limit: number) => fail("body_too_large", { details: { limit_bytes: limit } });

/**
 * Reads the body. Holds at most the limit plus one chunk in memory and aborts a longer body. Errors: `body_too_large`,
 * `invalid_request`.
 */
export async function readBytes(request: Request, limit: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  try {
    for await (const chunk of request.body ?? []) {
      length += chunk.length;
      if (length > limit) break;
      chunks.push(chunk);
    }
  } catch (cause) {
    throw fail("invalid_request", { message: "The body is incomplete.", cause });
  }
  if (length > limit) throw tooLarge(limit);
  return Buffer.concat(chunks, length);
}

/** Accepts only `application/json` in identity encoding. */
export function checkMediaType(request: Request): void {
  const type = request.headers.get("content-type");
  if (type !== "application/json" && type?.split(";", 1)[0]?.trim().toLowerCase() !== "application/json")
    throw fail("unsupported_media_type");
  checkEncoding(request);
}

/** Rejects compressed bodies: a few bytes could expand to very many. */
export function checkEncoding(request: Request): void {
  const encoding = request.headers.get("content-encoding");
  if (encoding !== null && encoding !== "identity")
    throw fail("unsupported_media_type", { message: "Send the body without Content-Encoding." });
}
