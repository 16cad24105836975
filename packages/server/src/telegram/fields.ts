import { gunzipSync } from "node:zlib";
import type { AppContext } from "../context.ts";
import { fail } from "../errors.ts";
import { checkEncoding, decodeText, parseJson, readBytes, requireText } from "../http/body/body.ts";
import { boundaryOf, type Part, partsOf } from "../http/body/multipart.ts";
import { ignoredNames } from "../http/ignored.ts";
import { badRequest } from "./telegram-error.ts";

/** Bytes of fields without a file: a long text, percent-encoded, and a keyboard. */
const FIELDS_BYTES = 256 * 1024;

const MIB = 1024 * 1024;
/** A file is held in memory, so one of this door is smaller than the largest that the server may allow. */
const FILE_MIB_MAX = 64;

/** Returns the most bytes of a file that a bot sends. */
export const fileBytes = ({ config }: AppContext): number => Math.min(config.fileMaxMib, FILE_MIB_MAX) * MIB;

/** A file in a form. */
export interface SentFile {
  readonly name: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** The parameters of a call, from wherever they were sent. Names that nobody reads are ignored. */
export class Fields {
  readonly #values: ReadonlyMap<string, unknown>;
  readonly #files: ReadonlyMap<string, SentFile>;
  readonly #read = new Set<string>();

  constructor(values: ReadonlyMap<string, unknown>, files: ReadonlyMap<string, SentFile> = new Map()) {
    this.#values = values;
    this.#files = files;
  }

  /** Returns the value of `X-Ignored`; null if every field was read. */
  ignored(): string | null {
    return ignoredNames(this.#read, this.#values.keys());
  }

  /** Returns what was sent; null and an empty text count as nothing. */
  raw(name: string): unknown {
    this.#read.add(name);
    const value = this.#values.get(name);
    return value === null || value === "" ? undefined : value;
  }

  text(name: string): string | undefined {
    const value = this.raw(name);
    if (value === undefined || typeof value === "string") return value;
    if (typeof value === "number" || typeof value === "boolean") return String(value);
    throw badRequest(`field "${name}" must be of type String`);
  }

  /** An integer; forms and some clients send it as text. */
  integer(name: string): number | undefined {
    const value = this.raw(name);
    if (value === undefined) return undefined;
    const number = typeof value === "string" && /^-?\d{1,16}$/.test(value.trim()) ? Number(value) : value;
    if (typeof number === "number" && Number.isSafeInteger(Math.trunc(number))) return Math.trunc(number);
    throw badRequest(`field "${name}" must be a Number`);
  }

  flag(name: string): boolean {
    const value = this.raw(name);
    return value === true || value === 1 || (typeof value === "string" && /^(?:true|1|yes)$/i.test(value));
  }

  /** An object or a list; forms send it as JSON. */
  object(name: string): unknown {
    const value = this.raw(name);
    if (typeof value !== "string") return value;
    try {
      return JSON.parse(value);
    } catch {
      throw badRequest(`can't parse ${name} JSON object`);
    }
  }

  /** The id of a chat, or a name with an at sign. */
  id(name: string): string | number | undefined {
    const value = this.raw(name);
    return typeof value === "string" || typeof value === "number" ? value : undefined;
  }

  file(name: string): SentFile | undefined {
    this.#read.add(name);
    return this.#files.get(name);
  }
}

/** Reads the fields of a call. Of a name that was sent twice, the later place counts: query, then body. */
export async function readFields(request: Request, fileBytes: number): Promise<Fields> {
  const values = new Map<string, unknown>();
  for (const [name, value] of new URL(request.url).searchParams) {
    requireText(value);
    values.set(name, value);
  }
  if (request.method !== "POST") return new Fields(values);
  const type = request.headers.get("content-type")?.split(";", 1)[0]?.trim().toLowerCase() ?? "";
  if (type === "multipart/form-data") return readMultipart(request, fileBytes, values);
  const text = decodeText(await bodyOf(request, FIELDS_BYTES));
  if (text === "") return new Fields(values);
  if (type === "application/x-www-form-urlencoded") {
    for (const [name, value] of new URLSearchParams(text)) {
      requireText(value);
      values.set(name, value);
    }
    return new Fields(values);
  }
  if (type !== "application/json") throw badRequest("unsupported content type");
  const body = parseJson(text);
  // telebot sends it where a method has no fields.
  if (body === null) return new Fields(values);
  if (typeof body !== "object" || Array.isArray(body)) throw badRequest("the body must be an object");
  for (const [name, value] of Object.entries(body)) values.set(name, value);
  return new Fields(values);
}

/**
 * Reads a body of at most `limit` bytes, before and after it is unpacked: Telegraf packs what it sends when it runs on Bun.
 */
async function bodyOf(request: Request, limit: number): Promise<Buffer> {
  const bytes = await readBytes(request, limit);
  if (request.headers.get("content-encoding") !== "gzip") {
    checkEncoding(request);
    return bytes;
  }
  try {
    return gunzipSync(bytes, { maxOutputLength: limit });
  } catch (cause) {
    if (cause instanceof RangeError) throw fail("body_too_large", { details: { limit_bytes: limit }, cause });
    throw fail("invalid_request", { message: "The body is not gzip.", cause });
  }
}

async function readMultipart(request: Request, fileBytes: number, values: Map<string, unknown>): Promise<Fields> {
  const boundary = boundaryOf(request.headers.get("content-type"));
  const parts = partsOf(await bodyOf(request, fileBytes + FIELDS_BYTES), boundary);
  const files = new Map<string, SentFile>();
  for (const part of parts) {
    if (part.fileName !== null) files.set(part.name, { name: part.fileName, bytes: new Uint8Array(part.bytes) });
    else values.set(part.name, textOf(part));
  }
  return new Fields(values, files);
}

function textOf({ bytes }: Part): string {
  const text = decodeText(bytes);
  requireText(text);
  return text;
}
