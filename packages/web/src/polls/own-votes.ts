import type { Poll } from "@parley/protocol/polls";
import type { Parley } from "../session/parley.ts";
import { Store } from "../state/store.ts";

/** By user and poll, what was chosen on this page. Events are the same for everybody, so they do not say it. */
type Votes = ReadonlyMap<string, readonly number[]>;

/** Returns the name of a user's vote in a poll. */
export const voteKey = (self: string | null, { poll_id }: Pick<Poll, "poll_id">): string => `${poll_id} ${self}`;

const ofPages = new WeakMap<Parley, Store<Votes>>();

/** Returns what was chosen on a page since it was loaded. */
export function ownVotes(parley: Parley): Store<Votes> {
  const known = ofPages.get(parley);
  if (known !== undefined) return known;
  const made = new Store<Votes>(new Map());
  ofPages.set(parley, made);
  return made;
}

/** Returns the share of a poll's voters who chose an option, in whole percent. */
export const shareOf = (count: number, { total_voters }: Pick<Poll, "total_voters">): number =>
  total_voters === 0 ? 0 : Math.round((100 * count) / total_voters);
