import { JSON_DEPTH } from "@parley/protocol/limits";
import { fail } from "../errors.ts";

const QUOTE = 34;
const BACKSLASH = 92;
const OPEN_BRACE = 123;
const OPEN_BRACKET = 91;
const CLOSE_BRACE = 125;
const CLOSE_BRACKET = 93;

/** Keys that could reach an object's prototype when a body is copied carelessly (protocol §0). */
export const FORBIDDEN_KEYS: ReadonlySet<string> = new Set(["__proto__", "constructor", "prototype"]);

/** Reads JSON of a bounded depth without forbidden keys, NULs or lone surrogates (PostgreSQL stores neither). */
export function parseJson(text: string): unknown {
  const value = readJson(text);
  refuseUnstorable(text, value);
  return value;
}

/** The first half of `parseJson`. The depth is counted before parsing, because deep nesting is what makes parsers and validators slow. */
export function readJson(text: string): unknown {
  if (isDeeperThan(text, JSON_DEPTH))
    throw fail("invalid_json", { message: `The body is nested deeper than ${JSON_DEPTH} levels.` });
  try {
    return JSON.parse(text);
  } catch {
    throw fail("invalid_json");
  }
}

/** The second half of `parseJson`: only a text with an escape or a suspicious word can hold what the walk looks for. */
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

/** Refuses text that cannot be stored as UTF-8 on every dialect. */
export function requireText(text: string): void {
  if (!isStorable(text)) {
    throw fail("invalid_request", { message: "Text may not contain NUL characters or lone surrogates." });
  }
}

/** Can the text be stored as UTF-8 on every dialect? */
export const isStorable = (text: string): boolean => !text.includes("\0") && text.isWellFormed();

const UTF8 = new TextDecoder("utf-8", { fatal: true });

/** JSON is UTF-8. What is not would be stored as `\uFFFD`, and its sender told that all went well. Errors: `invalid_json`. */
export function decodeText(bytes: Uint8Array): string {
  try {
    return UTF8.decode(bytes);
  } catch {
    throw fail("invalid_json", { message: "The body is not UTF-8." });
  }
}

/** Refuses by `Content-Length` before a byte is read. False: the request does not say how long its body is. */
export function checkDeclaredLength(request: Request, limit: number): boolean {
  const declared = request.headers.get("content-length");
  if (declared !== null && Number(declared) > limit) throw tooLarge(limit);
  return declared !== null;
}

const tooLarge = (limit: number) => fail("body_too_large", { details: { limit_bytes: limit } });

/**
 * The body, and never more of it in memory than the limit and one chunk: what goes on beyond it is cut off. Errors: `body_too_large`,
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
    throw fail("invalid_request", { message: "The body broke off.", cause });
  }
  if (length > limit) throw tooLarge(limit);
  return Buffer.concat(chunks, length);
}

/** JSON routes take `application/json` in identity encoding only. */
export function checkMediaType(request: Request): void {
  const type = request.headers.get("content-type");
  if (type !== "application/json" && type?.split(";", 1)[0]?.trim().toLowerCase() !== "application/json")
    throw fail("unsupported_media_type");
  checkEncoding(request);
}

/** Nobody unpacks a body here: a few bytes could become very many. */
export function checkEncoding(request: Request): void {
  const encoding = request.headers.get("content-encoding");
  if (encoding !== null && encoding !== "identity")
    throw fail("unsupported_media_type", { message: "Send the body without Content-Encoding." });
}
