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
  /** It was made by an earlier import: its messages stay as they are. */
  isKnown: boolean;
}

/** The people and channels of an import, by their ids in the source. Messages are too many to be kept. */
export interface Directory {
  readonly people: Map<string, Person>;
  readonly channels: Map<string, Place>;
}
