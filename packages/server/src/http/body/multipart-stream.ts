import { CRLF, HEADERS_MAX, malformed, PARTS_MAX, type PartHead, partHead } from "./multipart.ts";

/** Takes the content of one part. Each call is awaited before the next piece is read. */
export interface PartSink {
  write(piece: Uint8Array): Promise<void> | void;
}

/** Blanks after a delimiter (RFC 2046, 5.1.1); a line with more belongs to the content. */
const BLANKS_MAX = 256;

/**
 * Reads a form piece by piece (RFC 7578): it holds one piece and the longest delimiter in memory. `open` gets the head
 * of each part and returns where its content goes. The rules are those of `partsOf`, for forms that are too large for
 * it. Errors: `invalid_request`, and what `open` and the sinks throw.
 */
export async function readParts(
  pieces: AsyncIterator<Uint8Array>,
  boundary: string,
  open: (head: PartHead) => PartSink,
): Promise<void> {
  const reader = new PartReader(pieces, boundary);
  // A preamble before the first delimiter is ignored.
  let isEnd = await reader.content({ write() {} });
  for (let parts = 0; !isEnd; parts++) {
    if (parts === PARTS_MAX) throw malformed(`more than ${PARTS_MAX} parts`);
    isEnd = await reader.content(open(partHead(await reader.headers())));
  }
}

class PartReader {
  readonly #pieces: AsyncIterator<Uint8Array>;
  readonly #delimiter: Buffer;
  /** What was read and not passed on. Begins like the line before the body, for a delimiter that opens it. */
  #held = Buffer.from(CRLF);

  constructor(pieces: AsyncIterator<Uint8Array>, boundary: string) {
    this.#pieces = pieces;
    this.#delimiter = Buffer.from(`${CRLF}--${boundary}`);
  }

  /** Passes on everything up to the next delimiter, and skips that. Returns true at the last one. */
  async content(sink: PartSink): Promise<boolean> {
    // What is before it was searched. A longer line is passed on with its neighbors: thousands of them cost no write each.
    let from = 0;
    for (;;) {
      const at = this.#held.indexOf(this.#delimiter, from);
      if (at === -1) {
        await this.#pass(sink, Math.max(0, this.#held.length - this.#delimiter.length + 1));
        from = 0;
        await this.#more();
        continue;
      }
      const after = await this.#lineEnd(at + this.#delimiter.length);
      if (after !== null) {
        await this.#pass(sink, at);
        this.#held = this.#held.subarray(after.length - at);
        return after.isEnd;
      }
      // A longer line with the same beginning.
      from = at + CRLF.length;
    }
  }

  /** Reads the headers of a part. */
  async headers(): Promise<string> {
    for (;;) {
      const end = this.#held.subarray(0, HEADERS_MAX).indexOf("\r\n\r\n");
      if (end !== -1) {
        const text = this.#held.toString("utf8", 0, end);
        this.#held = this.#held.subarray(end + 4);
        return text;
      }
      if (this.#held.length >= HEADERS_MAX) throw malformed("a part has no headers or too many");
      await this.#more();
    }
  }

  /** Returns where the line of the delimiter ends that is held up to `from`; null if it is a longer line. */
  async #lineEnd(from: number): Promise<{ length: number; isEnd: boolean } | null> {
    for (;;) {
      const held = this.#held;
      if (held.length >= from + 2 && held.toString("latin1", from, from + 2) === "--")
        return { length: from + 2, isEnd: true };
      let at = from;
      while (held[at] === 0x20 || held[at] === 0x09) at += 1;
      if (at - from > BLANKS_MAX) return null;
      if (held.length >= at + 2) {
        return held[at] === 0x0d && held[at + 1] === 0x0a ? { length: at + 2, isEnd: false } : null;
      }
      await this.#more();
    }
  }

  async #pass(sink: PartSink, length: number): Promise<void> {
    if (length === 0) return;
    await sink.write(this.#held.subarray(0, length));
    this.#held = this.#held.subarray(length);
  }

  async #more(): Promise<void> {
    const next = await this.#pieces.next();
    if (next.done === true) throw malformed("the form has no end");
    this.#held = this.#held.length === 0 ? Buffer.from(next.value) : Buffer.concat([this.#held, next.value]);
  }
}
