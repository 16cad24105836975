import { type AppContext, perServer } from "../../context.ts";

/**
 * Length in characters, or in bytes when compressed, from which an answer is large. Bun buffers smaller ones: 200 connections of a network hold at
 * most 50 MB of them.
 */
export const LARGE = 256 * 1024;
const PIECE_BYTES = 128 * 1024;
const MIB = 1024 * 1024;

/** An answer being sent. */
interface Sending {
  network: string;
  /** null: dropped to make room. */
  bytes: Uint8Array | null;
}

/**
 * Limits the memory of large answers being sent. The server buffers a whole answer for a client that does not read, and
 * 200 connections of one network held 600 MB of newest pages. So the answers of each network share a budget, and so do
 * all answers. Above it the oldest ones are cut off: a client that reads at any speed has finished by then.
 */
export class LargeAnswers {
  /** Oldest first. */
  readonly #sending = new Set<Sending>();
  readonly #limits: { network: number; all: number };

  constructor(limits = { network: 16 * MIB, all: 256 * MIB }) {
    this.#limits = limits;
  }

  /** Bytes of all answers being sent. */
  get bytes(): number {
    return sizeOf([...this.#sending]);
  }

  /** Returns the body of an answer to `request`, sent in pieces as the client reads. */
  body(request: Request, network: string, body: string | Uint8Array): ReadableStream<Uint8Array> {
    const sending: Sending = { network, bytes: typeof body === "string" ? Buffer.from(body) : body };
    const end = () => {
      sending.bytes = null;
      this.#sending.delete(sending);
    };
    this.#sending.add(sending);
    this.#makeRoom(this.#limits.network, (each) => each.network === network);
    this.#makeRoom(this.#limits.all, () => true);
    // If the client disconnects before the first piece is requested, `cancel` is not called.
    if (request.signal.aborted) end();
    else request.signal.addEventListener("abort", end, { once: true });
    let sent = 0;
    return new ReadableStream<Uint8Array>(
      {
        pull(controller) {
          if (sending.bytes === null) {
            controller.error(new Error("The client read the response too slowly."));
            return;
          }
          controller.enqueue(sending.bytes.subarray(sent, sent + PIECE_BYTES));
          sent += PIECE_BYTES;
          if (sent < sending.bytes.length) return;
          controller.close();
          end();
        },
        cancel: end,
      },
      { highWaterMark: 0 },
    );
  }

  /** Drops the oldest matching answers until the rest fit; keeps the newest. */
  #makeRoom(limit: number, isOne: (sending: Sending) => boolean): void {
    const all = [...this.#sending].filter(isOne);
    let held = sizeOf(all);
    for (const sending of all.slice(0, -1)) {
      if (held <= limit) return;
      held -= sending.bytes?.length ?? 0;
      sending.bytes = null;
      this.#sending.delete(sending);
    }
  }
}

const sizeOf = (all: readonly Sending[]): number => all.reduce((sum, { bytes }) => sum + (bytes?.length ?? 0), 0);

export const largeAnswers = perServer((_: AppContext) => new LargeAnswers());
