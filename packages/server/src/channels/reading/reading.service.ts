import { type AppContext, perServer } from "../../context.ts";
import { transact } from "../../db/transact.ts";
import { fail } from "../../errors.ts";
import { hook } from "../../hook.ts";
import type { UserIdentity } from "../../http/identity.ts";
import { publishEvent } from "../../realtime/publish.ts";
import { userTopic } from "../../realtime/topics.ts";
import { membershipOf, readableChannel } from "../access/access.ts";
import type { Channel, ChannelRef } from "../channel.ts";
import { advanceReadMark, findReadingPlace, holdUnreadPlaces, setUnreadFrom } from "./reading.store.ts";

/** A channel that a user has read, or a thread in it. */
export interface ReadPlace {
  userId: number;
  channelId: number;
  /** null: the channel itself. */
  rootId: number | null;
}

/** Receives each place whose mark has moved, after the commit on this node. A listener must only note it. */
export const onRead = hook<(place: ReadPlace) => void>();

/** Tells the listeners that a mark has moved. Call it after the commit. */
export function noteRead(ctx: AppContext, place: ReadPlace): void {
  for (const listener of onRead.of(ctx)) listener(place);
}

/** Maximum per transaction; bounds how long the event loop is blocked. */
const BATCH_MAX = 256;
/** Queue limit: an error now is better than an answer after the client gave up. */
const QUEUE_MAX = 20_000;

interface Mark {
  channelId: number;
  userId: number;
  seq: number;
  resolve(moved: boolean): void;
  reject(error: unknown): void;
}

/**
 * Batches read marks. One message in a busy channel makes all its viewers mark it as read; marks that arrive during a
 * commit share the next transaction, so they do not delay the next message.
 */
export class ReadMarks {
  readonly #ctx: AppContext;
  #waiting: Mark[] = [];
  #isScheduled = false;

  constructor(ctx: AppContext) {
    this.#ctx = ctx;
  }

  /** Resolves after the commit with whether the mark moved. Errors: `overloaded`. */
  advance(channelId: number, userId: number, seq: number): Promise<boolean> {
    if (this.#waiting.length >= QUEUE_MAX) throw fail("overloaded", { retryAfter: 1 });
    return new Promise((resolve, reject) => {
      this.#waiting.push({ channelId, userId, seq, resolve, reject });
      this.#schedule();
    });
  }

  #schedule(): void {
    if (this.#isScheduled || this.#waiting.length === 0) return;
    this.#isScheduled = true;
    setImmediate(() => void this.#drain());
  }

  async #drain(): Promise<void> {
    // The same order on every node prevents deadlocks.
    const batch = this.#waiting.splice(0, BATCH_MAX).sort((a, b) => a.channelId - b.channelId || a.userId - b.userId);
    try {
      const moved = await transact(this.#ctx, async (ctx) => {
        const answers: boolean[] = [];
        for (const mark of batch) answers.push(await advanceReadMark(ctx.db, mark.channelId, mark.userId, mark.seq));
        return answers;
      });
      for (const [at, mark] of batch.entries()) {
        const isMoved = moved[at] ?? false;
        if (isMoved) noteRead(this.#ctx, { userId: mark.userId, channelId: mark.channelId, rootId: null });
        mark.resolve(isMoved);
      }
    } catch (error) {
      for (const mark of batch) mark.reject(error);
    }
    this.#isScheduled = false;
    this.#schedule();
  }
}

const readMarks = perServer((ctx) => new ReadMarks(ctx));

/** The caller's read position in a channel (protocol §3). */
export interface ReadState {
  channel_id: number;
  last_read_seq: number;
  unread_from_seq: number | null;
  unread_count: number;
  /** The channel's newest seq when the unread messages were counted. */
  last_seq: number;
}

/**
 * Marks a channel as read up to `seq`, or up to its newest seq; the mark never moves back. Notifies all sockets of the
 * user (`channel:read`). Errors: those of `readableChannel`, `not_a_member`, `overloaded`.
 */
export async function markRead(
  ctx: AppContext,
  caller: UserIdentity,
  ref: ChannelRef,
  seq: number | null,
): Promise<ReadState> {
  const channel = await ownChannel(ctx, caller, ref);
  const moved = await readMarks(ctx).advance(channel.id, caller.userId, seq ?? Number.MAX_SAFE_INTEGER);
  return tellState(ctx, caller, channel.id, moved);
}

/**
 * Marks a channel as unread from `seq` on, whatever the user has read before; the read mark stays. Notifies all sockets of
 * the user (`channel:read`). Errors: those of `readableChannel`, `not_a_member`.
 */
export async function markUnread(
  ctx: AppContext,
  caller: UserIdentity,
  ref: ChannelRef,
  seq: number,
): Promise<ReadState> {
  const channel = await ownChannel(ctx, caller, ref);
  const isChanged = await setUnreadFrom(ctx.db, channel.id, caller.userId, seq);
  return tellState(ctx, caller, channel.id, isChanged);
}

async function ownChannel(ctx: AppContext, caller: UserIdentity, ref: ChannelRef): Promise<Channel> {
  const channel = await readableChannel(ctx, caller, ref);
  if ((await membershipOf(ctx, caller, channel)) === null) throw fail("not_a_member");
  return channel;
}

/** Returns what is stored and, if it has changed, tells the user's sockets. */
async function tellState(
  ctx: AppContext,
  caller: UserIdentity,
  channelId: number,
  isChanged: boolean,
): Promise<ReadState> {
  const place = await findReadingPlace(ctx.db, channelId, caller.userId);
  if (place === null) throw fail("not_a_member");
  const state = {
    channel_id: channelId,
    last_read_seq: place.lastReadSeq,
    unread_from_seq: place.unreadFromSeq,
    unread_count: place.unreadCount,
    last_seq: place.lastSeq,
  };
  if (isChanged) publishEvent(ctx, userTopic(caller.userId), "channel:read", state);
  return state;
}

/**
 * Reads all of the user's channels to their ends, in bounded transactions. Tells no socket and no listener: the caller tells
 * of everything at once. Returns how many changed.
 */
export async function readAllChannels(ctx: AppContext, userId: number): Promise<number> {
  let changed = 0;
  for (let afterId: number | null = 0; afterId !== null; ) {
    const start: number = afterId;
    const places = await transact(ctx, async (ctx) => {
      const found = await holdUnreadPlaces(ctx.db, userId, { afterId: start, limit: BATCH_MAX });
      for (const place of found) await advanceReadMark(ctx.db, place.channel_id, userId, place.last_seq);
      return found;
    });
    changed += places.length;
    afterId = places.length < BATCH_MAX ? null : (places.at(-1)?.channel_id ?? null);
  }
  return changed;
}
