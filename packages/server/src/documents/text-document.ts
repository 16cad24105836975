import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import { accepts } from "../http/answers/compressed.ts";
import { hasTag } from "../http/answers/respond.ts";

/** A text that is served to everybody, with its entity tag; compressed once, when a client first asks for that. */
export class TextDocument {
  readonly text: string;
  readonly #type: string;
  readonly #tag: string;
  #gzipped: Uint8Array<ArrayBuffer> | undefined;

  constructor(text: string, type: string) {
    this.text = text;
    this.#type = type;
    this.#tag = `"${createHash("sha256").update(text).digest("base64url").slice(0, 22)}"`;
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
