import { AVATARS_ASKED_MAX } from "@parley/protocol/limits";
import type { ActorKind } from "@parley/protocol/values";
import type { UserClient } from "@parley/sdk";
import { Store } from "../state/store.ts";

interface Bounds {
  /** Of a longer list only the beginning is read. */
  max: number;
  /** The list is read again if it is older than this. */
  freshMs: number;
}

/** A list that completions suggest from, such as the members of a channel. It is read when somebody types. */
export class ListOnDemand<T> {
  readonly all = new Store<readonly T[]>([]);
  readonly #read: () => AsyncIterable<T>;
  readonly #bounds: Bounds;
  /** When the list was requested last. */
  #requestedAt = Number.NEGATIVE_INFINITY;

  constructor(read: () => AsyncIterable<T>, bounds: Bounds) {
    this.#read = read;
    this.#bounds = bounds;
  }

  /** Reads the list, unless that was done lately. */
  async load(): Promise<void> {
    const { max, freshMs } = this.#bounds;
    if (performance.now() - this.#requestedAt < freshMs) return;
    this.#requestedAt = performance.now();
    try {
      const items: T[] = [];
      for await (const item of this.#read()) {
        items.push(item);
        if (items.length === max) break;
      }
      this.all.set(items);
    } catch {
      // What is known so far is suggested, and the next letter tries again.
      this.#requestedAt = Number.NEGATIVE_INFINITY;
    }
  }
}

/** Somebody who can be mentioned. */
export interface Named {
  kind: ActorKind;
  name: string;
  /** The display name; absent if it was not asked for. */
  shown?: string | null;
}

/** A command of an agent in the channel. */
export interface Command {
  command: string;
  description: string;
  /** The agent's name. */
  agent: string;
}

/** The lists that the composer suggests from. Threads share those of their channel. */
export interface Suggested {
  /** The members of the channel, whether they are online or not. */
  readonly members: ListOnDemand<Named>;
  readonly commands: ListOnDemand<Command>;
}

/** Adds the display names of those who have one. */
async function withShown(accounts: UserClient["accounts"], all: readonly Named[]): Promise<readonly Named[]> {
  const users = all.flatMap(({ kind, name }) => (kind === "user" ? [name] : []));
  if (users.length === 0) return all;
  const { profiles } = await accounts.profiles(users);
  const shown = new Map(profiles.map(({ username, display_name }) => [username, display_name]));
  return all.map((each) => ({ ...each, shown: each.kind === "user" ? (shown.get(each.name) ?? null) : null }));
}

/** Returns the lists of a channel. `language`: that of the page, with two letters. */
export function suggestedIn({ channels, accounts }: UserClient, channelId: number, language: () => string): Suggested {
  return {
    members: new ListOnDemand(
      async function* () {
        let some: Named[] = [];
        for await (const { kind, name } of channels.members(channelId, { limit: 200 })) {
          some.push({ kind, name });
          if (some.length < AVATARS_ASKED_MAX) continue;
          yield* await withShown(accounts, some);
          some = [];
        }
        yield* await withShown(accounts, some);
      },
      { max: 1_000, freshMs: 60_000 },
    ),
    commands: new ListOnDemand(
      async function* () {
        const own = { language: language() };
        for await (const { agent_name: agent, commands } of channels.commands(channelId, own))
          for (const each of commands) yield { ...each, agent };
      },
      // No event reports a change (protocol §5).
      { max: 1_000, freshMs: 10_000 },
    ),
  };
}
