import { type Channel, isOpen } from "../../channels/channel.ts";
import type { AppContext } from "../../context.ts";
import * as store from "./recipients.store.ts";

/** Somebody whom a message or a reaction may concern. */
export interface Candidate {
  userId: number;
  /** `u<user id>` or `a<agent id>` of who caused it. */
  sender: string;
}

export type Recipient<C extends Candidate> = C & Pick<store.RecipientRow, "lastReadSeq">;

const AT_ONCE = 500;

/**
 * Returns those of the candidates who are to be notified (protocol §13.5): people with an account who may read the
 * channel now, have not muted it or set it to `none`, and have not blocked the sender.
 */
export async function notified<C extends Candidate>(
  ctx: AppContext,
  channel: Channel,
  candidates: readonly C[],
): Promise<Recipient<C>[]> {
  const found: Recipient<C>[] = [];
  // A message in a thread with many followers has many candidates.
  for (let from = 0; from < candidates.length; from += AT_ONCE) {
    found.push(...(await someNotified(ctx, channel, candidates.slice(from, from + AT_ONCE))));
  }
  return found;
}

async function someNotified<C extends Candidate>(
  ctx: AppContext,
  channel: Channel,
  candidates: readonly C[],
): Promise<Recipient<C>[]> {
  const userIds = [...new Set(candidates.map(({ userId }) => userId))];
  const senders = [...new Set(candidates.map(({ sender }) => sender))];
  const rows = await store.recipientsIn(ctx.db, channel.id, userIds);
  const wanting = rows.filter(({ isMuted, level }) => !isMuted && level !== "none");
  const outsiders = wanting.filter(({ isMember }) => !isMember).map(({ userId }) => userId);
  const banned = await store.bannedIn(ctx.db, channel.id, isOpen(channel) ? outsiders : [], ctx.clock.now());
  const reading = wanting.filter(({ userId, isMember }) => isMember || (isOpen(channel) && !banned.has(userId)));
  const byUser = new Map(reading.map((row) => [row.userId, row]));
  if (byUser.size === 0) return [];
  const blocks = await store.blocksOf(ctx.db, [...byUser.keys()], senders);
  return candidates.flatMap((candidate) => {
    const row = byUser.get(candidate.userId);
    const isBlocked = blocks.has(`${candidate.userId} ${candidate.sender}`);
    return row === undefined || isBlocked ? [] : [{ ...candidate, lastReadSeq: row.lastReadSeq }];
  });
}
