import { compact, concernsCompact, type KnownSlugs } from "@parley/protocol/compact";
import type { BrokerMessage } from "./broker/broker.ts";
import { frameOf, frameParts, packFrames } from "./frame-text.ts";

/** Returns a frame in the compact form (protocol §8). `slugs` are those that its receiver knows. */
function compactFrame(event: string, frame: string, slugs: KnownSlugs): string {
  if (!concernsCompact(event)) return frame;
  const data: unknown = JSON.parse(frameParts(frame).dataJson);
  const short = compact(event, data, slugs);
  return short === data ? frame : frameOf(event, JSON.stringify(short));
}

/**
 * Returns the missed frames of a channel for a socket whose join is acknowledged with this slug, and the slug that the
 * socket knows after it has read them.
 */
export function compactMissed(
  frames: readonly string[],
  { channelId, slug }: { channelId: number; slug: string },
): { frames: string[]; slug: string } {
  const slugs: KnownSlugs = new Map([[channelId, slug]]);
  const short = frames.map((frame) => compactFrame(frameParts(frame).event, frame, slugs));
  return { frames: short, slug: slugs.get(channelId) ?? slug };
}

/**
 * Makes the compact frames of this node, once for all sockets. A message lacks its channel's slug only where all
 * sockets with compact frames that are subscribed to the channel have last been sent this slug.
 */
export class CompactFrames {
  readonly #slugs: KnownSlugs = new Map();

  /**
   * Returns the frames of these messages for all sockets of the channel, of which each may hold several events. Call it
   * in the order of the messages.
   */
  framesOf(messages: readonly BrokerMessage[]): string[] {
    return packFrames(messages.map(({ event, frame }) => compactFrame(event, frame, this.#slugs)));
  }

  /** Notes that one socket, which joins, knows this slug. The others may know another one. */
  joined(channelId: number, slug: string): void {
    if (this.#slugs.get(channelId) !== slug) this.#slugs.delete(channelId);
  }

  /** Frees what is known about a channel that no socket listens to. */
  forget(channelId: number): void {
    this.#slugs.delete(channelId);
  }
}
