import { isUtf8 } from "node:buffer";
import { createHash } from "node:crypto";
import { open } from "node:fs/promises";
import { FILE_READ_ONLY, UploadFileBody } from "@parley/protocol/files";
import type { VoiceClaim } from "@parley/protocol/voice-notes";
import type { AppContext } from "../../context.ts";
import { fail } from "../../errors.ts";
import { checkEncoding, requireText } from "../../http/body/body.ts";
import { boundaryOf, malformed, type PartHead } from "../../http/body/multipart.ts";
import { type PartSink, readParts } from "../../http/body/multipart-stream.ts";
import { Validator } from "../../http/body/validate.ts";
import { readClaim } from "../voice-note.ts";
import { HEAD_BYTES, TextProbe } from "./file-type.ts";
import { loopTurns } from "./loop-turns.ts";
import { writeAll } from "./upload-folder.ts";
import type { Upload } from "./upload-slots.ts";

/** An upload whose bytes are on the disk. */
export interface ReceivedForm {
  size: number;
  sha256: string;
  /** The first bytes. */
  head: Uint8Array;
  isText: boolean;
  /** The name that the client sent; may contain a path, or be empty. */
  sentName: string;
  /** The media type that the client sent. */
  declared: string | null;
  altText: string | null;
  /** The sender says that it is a voice note. */
  voice: VoiceClaim | null;
}

const FILE = "file";
/** Bytes of all other parts, the headers and the preamble. */
const REST_MAX = 64 * 1024;
/** Bytes that are handled at a time. */
const PIECE = 64 * 1024;
const TEXT_MAX = 8 * 1024;
/** How long the sender may pause, and how long the whole may take. */
const PAUSE_MS = 30_000;
const TOTAL_MS = 30 * 60_000;

const texts = new Validator(UploadFileBody, {}, "invalid_request", FILE_READ_ONLY);

interface Place {
  path: string;
  /** Bytes of the file at most. */
  limit: number;
  /** Called before bytes of the file are written. What it throws ends the upload. */
  takeRoom(bytes: number): Promise<void>;
}

/**
 * Reads an upload's form and writes its file to `path`, piece by piece as it arrives, hashing it on the way. At most a
 * few pieces are in memory.
 * Errors: `unsupported_media_type`, `invalid_request`, `file_too_large`, `file_required`, `empty_file`, `storage_full`,
 * `upload_too_slow`, `overloaded` (it gave way), those of `takeRoom`.
 */
export async function receiveForm(
  ctx: AppContext,
  request: Request,
  upload: Upload,
  { path, limit, takeRoom }: Place,
): Promise<ReceivedForm> {
  const boundary = boundaryOf(request.headers.get("content-type"));
  checkEncoding(request);
  if (Number(request.headers.get("content-length") ?? 0) > limit + REST_MAX) throw tooLarge(limit);
  const file = await open(path, "wx", 0o600);
  const pieces = paced(ctx, upload, request.body, limit + REST_MAX);
  try {
    const form = new FormSink(limit, async (piece) => {
      await takeRoom(piece.length);
      await writeAll(file, [piece]);
    });
    await readParts(pieces, boundary, (head) => form.open(head));
    return form.received();
  } finally {
    await file.close();
    await pieces.return(undefined);
  }
}

const tooLarge = (limit: number) => fail("file_too_large", { details: { limit_bytes: limit } });

class FormSink {
  readonly #limit: number;
  readonly #write: (piece: Uint8Array) => Promise<void>;
  readonly #hash = createHash("sha256");
  readonly #probe = new TextProbe();
  readonly #texts = new Map<string, Uint8Array[]>();
  #file: PartHead | null = null;
  #size = 0;
  #head: Uint8Array[] = [];
  #headLength = 0;

  constructor(limit: number, write: (piece: Uint8Array) => Promise<void>) {
    this.#limit = limit;
    this.#write = write;
  }

  open(head: PartHead): PartSink {
    const { name } = head;
    if (this.#texts.has(name) || (name === FILE && this.#file !== null)) throw refused(name, "occurs twice");
    if (name === FILE) {
      this.#file = head;
      return { write: (piece) => this.#writeFile(piece) };
    }
    const pieces: Uint8Array[] = [];
    this.#texts.set(name, pieces);
    let length = 0;
    return {
      write(piece) {
        length += piece.length;
        if (length > TEXT_MAX) throw refused(name, "is too long");
        pieces.push(Buffer.from(piece));
      },
    };
  }

  received(): ReceivedForm {
    if (this.#file === null) throw fail("file_required");
    // Browsers send an empty file without a name when none was chosen.
    if (this.#size === 0) throw fail(this.#file.fileName === "" ? "file_required" : "empty_file");
    const { fileName, type } = this.#file;
    return {
      size: this.#size,
      sha256: this.#hash.digest("hex"),
      head: Buffer.concat(this.#head),
      isText: this.#probe.isText(),
      sentName: fileName ?? "",
      declared: type,
      ...this.#fields(),
    };
  }

  async #writeFile(piece: Uint8Array): Promise<void> {
    this.#size += piece.length;
    if (this.#size > this.#limit) throw tooLarge(this.#limit);
    this.#hash.update(piece);
    this.#probe.add(piece);
    const wanted = HEAD_BYTES - this.#headLength;
    if (wanted > 0) {
      const start = Buffer.from(piece.subarray(0, wanted));
      this.#head.push(start);
      this.#headLength += start.length;
    }
    await this.#write(piece);
  }

  #fields(): Pick<ReceivedForm, "altText" | "voice"> {
    const fields: Record<string, string> = {};
    for (const [name, pieces] of this.#texts) {
      const bytes = Buffer.concat(pieces);
      if (!isUtf8(bytes)) throw refused(name, "is not UTF-8");
      fields[name] = bytes.toString("utf8");
      requireText(name + fields[name]);
    }
    texts.check(fields);
    const { alt_text = "", voice } = fields as UploadFileBody;
    return { altText: alt_text.trim() || null, voice: voice === undefined ? null : readClaim(voice) };
  }
}

const refused = (path: string, message: string) => fail("invalid_request", { details: [{ path, message }] });

/**
 * Yields the pieces of a body. Ends a body that pauses, is too slow or takes too long: the pipeline sets no time limit for
 * uploads, because Bun's counts from the head of the request (measured, 1.4.5).
 */
async function* paced(
  ctx: AppContext,
  upload: Upload,
  body: ReadableStream<Uint8Array> | null,
  limit: number,
): AsyncGenerator<Uint8Array> {
  if (body === null) throw malformed("the form has no end");
  const reader = body.getReader();
  const { clock } = ctx;
  const turns = loopTurns(ctx);
  const started = clock.monotonic();
  upload.signal.addEventListener("abort", () => void reader.cancel().catch(() => {}), { once: true });
  let length = 0;
  try {
    for (;;) {
      const left = Math.min(PAUSE_MS, TOTAL_MS - (clock.monotonic() - started));
      upload.pace.wait();
      const next = await withinMs(left, reader.read());
      upload.pace.arrived(next.value?.length ?? 0);
      const { refusal } = upload;
      if (refusal !== undefined) throw refusal;
      if (next.done) return;
      length += next.value.length;
      if (length > limit) throw tooLarge(limit);
      for (let at = 0; at < next.value.length; at += PIECE) {
        const piece = next.value.subarray(at, at + PIECE);
        await turns.take(piece.length);
        yield piece;
      }
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}

async function withinMs<T>(ms: number, reading: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(incomplete(undefined)), Math.max(0, ms));
  try {
    return await Promise.race([reading.catch((cause) => Promise.reject(incomplete(cause))), promise]);
  } finally {
    clearTimeout(timer);
  }
}

const incomplete = (cause: unknown) => fail("invalid_request", { message: "The body is incomplete.", cause });
