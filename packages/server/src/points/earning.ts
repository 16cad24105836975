import type { AppContext } from "../context.ts";
import { ACTIVITY, POINTS, userAccount } from "../ledger/account-names.ts";
import { isPosted, postTransfer } from "../ledger/ledger.ts";
import { publishControl } from "../realtime/control/control.ts";
import { isWithinLimits, type LimitedSource } from "./daily-limits.ts";
import { addEarned } from "./honor.store.ts";
import { honorLevel } from "./score.ts";

/** The points that activity pays, by the kind of the transfer (protocol §2). Nothing else counts towards honor. */
const PAY = { invite: 10, online: 1, messages: 1, like: 2 } as const;
export const EARNED: readonly string[] = Object.keys(PAY);

/**
 * Pays a user for an act, inside the caller's transaction, at most once per key. A rise of the honor level is announced
 * to all nodes, so that sessions and online lists show it.
 */
async function earn(ctx: AppContext, userId: number, kind: keyof typeof PAY, key: string): Promise<void> {
  const points = PAY[kind];
  const amount = BigInt(points);
  const legs = [
    { account: ACTIVITY, amount: -amount },
    { account: userAccount(userId), amount },
  ];
  const { isNew } = await postTransfer(ctx, { key, kind, currency: POINTS, legs });
  if (!isNew) return;
  const total = await addEarned(ctx.db, userId, points);
  const { honorThresholds } = ctx.config;
  if (honorLevel(honorThresholds, total) > honorLevel(honorThresholds, total - points))
    publishControl(ctx, "user_changed", userId);
}

/**
 * Pays unless the receiver has reached the daily limit (protocol §2). Points above it are not paid later. An act that
 * was paid before does not count again. Acts with the same key must not run concurrently; the lock on the like's
 * channel and the cursor of the event log consumer ensure this.
 */
async function earnWithinLimits(
  ctx: AppContext,
  userId: number,
  source: LimitedSource,
  key: string,
  giverId?: number,
): Promise<void> {
  if (await isPosted(ctx, key)) return;
  const earning = { userId, source, points: PAY[source], ...(giverId === undefined ? {} : { giverId }) };
  if (await isWithinLimits(ctx, earning)) await earn(ctx, userId, source, key);
}

/**
 * Pays the author (a user) of a message for a like, inside the transaction that writes the like: at most once per
 * message and liker (a user), however often the like is removed and added again. A like of the user's own message pays
 * nothing. A like above the daily limit pays nothing either; if it is given again on another day, it counts towards
 * that day.
 */
export async function creditLike(
  ctx: AppContext,
  like: { messageId: number; authorId: number; likerId: number },
): Promise<void> {
  const { messageId, authorId, likerId } = like;
  if (authorId === likerId) return;
  await earnWithinLimits(ctx, authorId, "like", `like:${messageId}:${likerId}`, likerId);
}

/** Pays the inviter of a user, inside the caller's transaction, at most once per invited user. */
export async function creditInvite(ctx: AppContext, inviterId: number, userId: number): Promise<void> {
  await earn(ctx, inviterId, "invite", `invite:${userId}`);
}

/** Pays for the user's nth full hour online. */
export async function creditHour(ctx: AppContext, userId: number, hour: number): Promise<void> {
  await earnWithinLimits(ctx, userId, "online", `online:${userId}:${hour}`);
}

/** Pays for the user's nth full hundred of messages. */
export async function creditHundred(ctx: AppContext, userId: number, hundred: number): Promise<void> {
  await earnWithinLimits(ctx, userId, "messages", `messages:${userId}:${hundred}`);
}
