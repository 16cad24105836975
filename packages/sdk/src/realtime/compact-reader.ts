import { expand, expandAck, type KnownSlugs } from "@parley/protocol/compact";

/**
 * Turns the compact frames of one socket into full ones, in the order of arrival. A server before 0.3.0 ignores the
 * query that asks for them, and does not confirm it in `session:ready`: its frames are full and pass unchanged.
 */
export class CompactReader {
  readonly #slugs: KnownSlugs = new Map();
  #isCompact = false;

  read<F extends { event: string; data: unknown }>(frame: F): F {
    if (frame.event === "session:ready") this.#isCompact = (frame.data as { frames?: unknown }).frames === "compact";
    if (!this.#isCompact) return frame;
    const { event, data } = frame;
    const full = event === "ack" ? expandAck(data, this.#slugs) : expand(event, data, this.#slugs);
    return full === data ? frame : { ...frame, data: full };
  }
}
