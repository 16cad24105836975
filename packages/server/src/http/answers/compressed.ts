import { gzipSync } from "bun";
import { etagOf } from "../../base/etag.ts";
import type { ReadyJson } from "../route.ts";
import { hasTag } from "./respond.ts";

/** Length in characters from which compression pays: shorter answers fit into one packet anyway. */
const COMPRESSED_FROM = 1024;

/** Level 1 takes 25 µs for a page of 50 messages and leaves a fifth of it. Level 6 takes 90 µs and leaves a seventh. */
const LEVEL = 1;

/** True if an answer of this length is sent compressed to clients that accept it. */
export const isCompressible = (json: string): boolean => json.length >= COMPRESSED_FROM;

const ACCEPTED = {
  gzip: /\bgzip\b(?!\s*;\s*q=0(\.0+)?\s*(,|$))/i,
  br: /\bbr\b(?!\s*;\s*q=0(\.0+)?\s*(,|$))/i,
} as const;
export type Encoding = keyof typeof ACCEPTED;

/** True if the request accepts the encoding (RFC 9110, 12.5.3). `gzip;q=0` refuses it. */
export function accepts(request: Request, encoding: Encoding): boolean {
  const accepted = request.headers.get("accept-encoding");
  return accepted !== null && ACCEPTED[encoding].test(accepted);
}

/**
 * Returns the compressed body of an answer and keeps it with the answer, so that an answer that is sent many times is
 * compressed once. It runs on the event loop: a queue of answers waiting for another thread would have no bound.
 *
 * Compression reveals the length of a secret beside text that an attacker chose (BREACH). No answer long enough to be
 * compressed carries a secret: keys and tokens are answered alone and are short.
 */
export function compressed(answer: ReadyJson): Uint8Array<ArrayBuffer> {
  answer.gzipped ??= gzipSync(answer.json, { level: LEVEL });
  return answer.gzipped;
}

/** A text that is served to everybody, with its entity tag; compressed once, when a client first asks for that. */
export class TextDocument {
  readonly text: string;
  readonly #type: string;
  readonly #tag: string;
  #gzipped: Uint8Array<ArrayBuffer> | undefined;

  constructor(text: string, type: string) {
    this.text = text;
    this.#type = type;
    this.#tag = etagOf(text);
  }

  /** Returns the answer to a request: the text, or 304 if the client has it. */
  respond(request: Request, more: Record<string, string> = {}): Response {
    // The tag is weak because the same text is sent in two encodings.
    const headers = { etag: `W/${this.#tag}`, vary: "accept-encoding", ...more };
    if (hasTag(request, this.#tag)) return new Response(null, { status: 304, headers });
    const typed = { "content-type": this.#type, ...headers };
    if (request.method === "HEAD" || !accepts(request, "gzip")) return new Response(this.text, { headers: typed });
    this.#gzipped ??= gzipSync(this.text);
    return new Response(this.#gzipped, { headers: { ...typed, "content-encoding": "gzip" } });
  }
}
