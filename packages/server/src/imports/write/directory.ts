import type { SourceChannel } from "../source.ts";

/** The user or agent that a person or bot of the source has become. */
export interface Person {
  kind: "user" | "agent";
  id: number;
  name: string;
}

/** The channel that a channel of the source has become. */
export interface Place {
  id: number;
  slug: string;
  kind: SourceChannel["kind"];
  /** The number of its newest message that is written. */
  seq: number;
  /** It was made by an earlier import: what a later export adds to it is in `Directory.late`. */
  isKnown: boolean;
}

/** Where further messages of a channel go that an earlier import has made (protocol §14.7). */
export interface LatePlaces {
  /** Messages from this time on follow those that are there; infinite, if people have written there. */
  since: number;
  /** A hidden channel of what is added to it when the import is opened; null: nothing so far. */
  tail: Place | null;
  /** The second channel, of older messages; null: nothing so far. */
  earlier: Place | null;
}

/** The people and channels of an import, by their ids in the source. Messages are too many to be kept. */
export interface Directory {
  readonly people: Map<string, Person>;
  readonly channels: Map<string, Place>;
  readonly late: Map<string, LatePlaces>;
}

/** Returns where a message of this time goes; null if it is left out. */
export function placeOf({ channels, late }: Directory, channelId: string, at: number): Place | null {
  const channel = channels.get(channelId);
  if (channel === undefined || !channel.isKnown) return channel ?? null;
  const places = late.get(channelId);
  return (at >= (places?.since ?? 0) ? places?.tail : places?.earlier) ?? null;
}
