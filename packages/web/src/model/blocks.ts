import type { ChatMessage } from "@parley/protocol/models";
import type { ActorKind } from "@parley/protocol/values";
import type { RealtimeEvent, UserClient } from "@parley/sdk";
import { retryUntilDone } from "../state/retry.ts";
import { Store } from "../state/store.ts";

export interface Blocked {
  kind: ActorKind;
  name: string;
}

/** The users and agents the user has blocked, by name. */
export class Blocks {
  readonly all = new Store<readonly Blocked[]>([]);
  readonly #client: UserClient;
  #stopReading = () => {};

  constructor(client: UserClient) {
    this.#client = client;
  }

  has(kind: ActorKind, name: string): boolean {
    return this.all.get().some((each) => each.kind === kind && each.name === name);
  }

  /** True if the sender of the message is blocked. */
  isFrom({ username, agent_name }: Pick<ChatMessage, "username" | "agent_name">): boolean {
    if (username !== null) return this.has("user", username);
    return agent_name !== null && this.has("agent", agent_name);
  }

  /** Loads the list, retrying until it succeeds. */
  load(): void {
    this.#stopReading();
    const read = async () => this.all.set((await this.#client.accounts.blocks()).blocks);
    // No error is shown: the list is retried, and the server enforces blocks anyway.
    this.#stopReading = retryUntilDone(read, () => {});
  }

  /** Applies a socket event. */
  take(event: RealtimeEvent): void {
    if (event.event === "block:update") this.#put(event.data, event.data.blocked);
  }

  async set({ kind, name }: Blocked, isBlocked: boolean): Promise<void> {
    await (isBlocked ? this.#client.accounts.block(name) : this.#client.accounts.unblock(name));
    this.#put({ kind, name }, isBlocked);
  }

  /** Discards the list; called when the user changes. */
  forget(): void {
    this.#stopReading();
    this.all.set([]);
  }

  #put({ kind, name }: Blocked, isBlocked: boolean): void {
    this.all.change((all) => {
      const others = all.filter((each) => each.kind !== kind || each.name !== name);
      return isBlocked ? [...others, { kind, name }] : others;
    });
  }
}
