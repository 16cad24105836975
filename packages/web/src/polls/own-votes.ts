import { MESSAGES_ASKED_MAX } from "@parley/protocol/limits";
import type { ChatMessage } from "@parley/protocol/models";
import type { Poll } from "@parley/protocol/polls";
import { ParleyError } from "@parley/sdk";
import { useCallback, useSyncExternalStore } from "react";
import type { Parley } from "../session/parley.ts";
import { useParley } from "../session/parley-context.ts";
import { Lookup } from "../state/lookup.ts";

/** A poll, and its channel. */
type Place = Pick<ChatMessage, "channel_id" | "id">;

const NONE: readonly number[] = [];

const keyOf = ({ channel_id, id }: Place): string => `${channel_id} ${id}`;

/**
 * The votes of the page's user in polls, made on any of their devices. A message says it as it was when it was read, and
 * the events of polls are the same for everybody; only `poll:voted` says it, to the user's own devices.
 */
class OwnVotes {
  /** The user whose votes they are. */
  readonly self: string | null;
  readonly #client: Parley["client"];
  readonly #votes: Lookup<string, readonly number[]>;
  /** The page was offline meanwhile: what messages say may be old. */
  #wasOffline = false;
  readonly stop: () => void;

  constructor({ self, client, live }: Parley) {
    this.self = self;
    this.#client = client;
    this.#votes = new Lookup({ maxKeys: MESSAGES_ASKED_MAX, fetch: (keys) => this.#read(keys) });
    this.stop = live.onEvent(({ event, data }) => {
      if (event === "poll:voted") this.put({ channel_id: data.channel_id, id: data.poll_id }, data.option_ids);
      else if (event === "session:ready") {
        this.#wasOffline = true;
        this.#votes.refresh();
      }
    });
  }

  get(place: Place): readonly number[] | null | undefined {
    return this.#votes.get(keyOf(place));
  }

  put(place: Place, votes: readonly number[]): void {
    this.#votes.put(keyOf(place), votes);
  }

  /** Follows the votes in a poll; `said` is what its message says. */
  watch(place: Place, said: readonly number[] | null, onChange: () => void): () => void {
    if (this.self === null) return () => {};
    // Not every message that is shown is asked for again.
    if (!this.#wasOffline && this.get(place) === undefined) this.put(place, said ?? NONE);
    return this.#votes.watch(keyOf(place), onChange);
  }

  async #read(keys: readonly string[]): Promise<ReadonlyMap<string, readonly number[]>> {
    const places = keys.map((key) => {
      const [channel_id = 0, id = 0] = key.split(" ").map(Number);
      return { channel_id, id };
    });
    const channels = [...Map.groupBy(places, ({ channel_id }) => channel_id)];
    const read = async ([channel_id, of]: (typeof channels)[number]) => {
      const ids = of.map(({ id }) => id).join(",");
      try {
        return (await this.#client.messages.list({ channel_id, ids })).messages;
      } catch (error) {
        // One channel that the user may not read any more says nothing of the others.
        if (error instanceof ParleyError && !error.retryable) return [];
        throw error;
      }
    };
    const messages = (await Promise.all(channels.map(read))).flat();
    return new Map(messages.map((message) => [keyOf(message), message.poll?.my_votes ?? NONE]));
  }
}

const known = new WeakMap<Parley, OwnVotes>();

/** Returns the votes of the page's user. */
export function ownVotes(parley: Parley): OwnVotes {
  const made = known.get(parley);
  if (made !== undefined && made.self === parley.self) return made;
  made?.stop();
  const votes = new OwnVotes(parley);
  known.set(parley, votes);
  return votes;
}

/** Returns what the page's user has chosen in the poll of a message. */
export function useOwnVotes({ channel_id, id }: Place, { my_votes }: Poll): readonly number[] {
  const votes = ownVotes(useParley());
  const subscribe = useCallback(
    (onChange: () => void) => votes.watch({ channel_id, id }, my_votes, onChange),
    [votes, channel_id, id, my_votes],
  );
  return useSyncExternalStore(subscribe, () => votes.get({ channel_id, id }) ?? my_votes ?? NONE);
}

/** Returns the share of a poll's voters who chose an option, in whole percent. */
export const shareOf = (count: number, { total_voters }: Pick<Poll, "total_voters">): number =>
  total_voters === 0 ? 0 : Math.round((100 * count) / total_voters);
