import { type AppContext, perServer } from "../context.ts";

/** Characters from which on an answer is large. Smaller ones are left to Bun: 200 connections of a network hold 50 MB of them at most. */
export const LARGE = 256 * 1024;
const PIECE_BYTES = 128 * 1024;
const MIB = 1024 * 1024;

/** An answer under way. */
interface Sending {
  network: string;
  /** null: it was dropped to make room. */
  bytes: Uint8Array | null;
}

/**
 * Bytes of the large answers under way. A reader that does not read makes the server hold the whole answer, and 200 connections of one
 * network held 600 MB of newest pages. So the answers of a network share a budget, as all answers do. Beyond it the oldest ones are cut
 * off: whoever reads at any speed is done before.
 */
export class LargeAnswers {
  /** Oldest first. */
  readonly #sending = new Set<Sending>();
  readonly #limits: { network: number; all: number };

  constructor(limits = { network: 16 * MIB, all: 256 * MIB }) {
    this.#limits = limits;
  }

  /** Bytes of all answers under way. */
  get bytes(): number {
    return sizeOf([...this.#sending]);
  }

  /** Makes the body of an answer to `request`, sent in pieces as the reader takes them. */
  body(request: Request, network: string, text: string): ReadableStream<Uint8Array> {
    const sending: Sending = { network, bytes: Buffer.from(text) };
    const end = () => {
      sending.bytes = null;
      this.#sending.delete(sending);
    };
    this.#sending.add(sending);
    this.#makeRoom(this.#limits.network, (each) => each.network === network);
    this.#makeRoom(this.#limits.all, () => true);
    // A reader that leaves before the first piece was asked for cancels nothing.
    if (request.signal.aborted) end();
    else request.signal.addEventListener("abort", end, { once: true });
    let sent = 0;
    return new ReadableStream<Uint8Array>(
      {
        pull(controller) {
          if (sending.bytes === null) {
            controller.error(new Error("The reader of this answer was too slow."));
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

  /** Drops the oldest of these answers until they fit; the newest one always stays. */
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
