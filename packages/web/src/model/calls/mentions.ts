import type { ChatMessage } from "@parley/protocol/models";
import { Store } from "../../state/store.ts";
import { CLOCKS_MS } from "../clocks.ts";

type Seqs = ReadonlySet<number>;

/** True if the message mentions this user, and is not theirs. */
export const isNamed = ({ username, mentions }: Pick<ChatMessage, "username" | "mentions">, self: string | null) =>
  self !== null && username !== self && mentions.some(({ type, name }) => type === "user" && name === self);

/** A page that gets a message later than this was not online when it was sent. */
const FRESH_MS = 60_000;

type Calling = Pick<ChatMessage, "username" | "mentions" | "created_at">;

/** True if the message calls everybody who is online (`@here`), is not the user's, and so new that the user was. */
export const isCalledHere = ({ username, mentions, created_at }: Calling, self: string | null) =>
  self !== null &&
  username !== self &&
  mentions.some(({ type, quoted }) => type === "here" && quoted !== true) &&
  Date.now() - Date.parse(created_at) < FRESH_MS + CLOCKS_MS;

/** Unread messages that mention the user: their seqs, by channel. */
export class Mentions {
  readonly all = new Store<ReadonlyMap<number, Seqs>>(new Map());

  add(channelId: number, ...seqs: readonly number[]): void {
    const known = this.all.get().get(channelId);
    if (seqs.every((seq) => known?.has(seq))) return;
    this.all.change((all) => new Map(all).set(channelId, new Set([...(known ?? []), ...seqs])));
  }

  /** Removes those up to this seq, which the user has read. */
  read(channelId: number, upToSeq: number): void {
    const known = this.all.get().get(channelId);
    if (known === undefined) return;
    const left = [...known].filter((seq) => seq > upToSeq);
    if (left.length === known.size) return;
    this.all.change((all) => {
      const changed = new Map(all);
      if (left.length === 0) changed.delete(channelId);
      else changed.set(channelId, new Set(left));
      return changed;
    });
  }

  /** Removes those of a channel. */
  clear(channelId: number): void {
    this.read(channelId, Number.POSITIVE_INFINITY);
  }

  forget(): void {
    this.all.set(new Map());
  }
}
