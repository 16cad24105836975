import { NOTIFICATION_DAYS, NOTIFICATIONS_PER_SENDER, NOTIFICATIONS_PER_USER } from "@parley/protocol/limits";
import { startBackgroundJob } from "../../base/background-job.ts";
import { runOnOne } from "../../cluster/duties.ts";
import { type AppContext, perServer } from "../../context.ts";
import { transact } from "../../db/transact.ts";
import { publishGone } from "./notifications.service.ts";
import * as store from "./trim.store.ts";

const TRIM_MS = 5_000;
const USERS = 200;
const SWEEP_MS = 60 * 60 * 1_000;
const ROWS = 1_000;
const DAY_MS = 24 * 60 * 60 * 1_000;

/** Users whose lists have grown on this node. One that is forgotten by a crash is noted with its next notification. */
const grown = perServer(() => new Set<number>());

/** Lets the lists of these users be trimmed after the commit. */
export function trimSoon(ctx: AppContext, rows: readonly { user_id: number }[]): void {
  ctx.afterCommit(() => {
    for (const { user_id } of rows) grown(ctx.root).add(user_id);
  });
}

/** Starts keeping the lists within their limits. */
export function startTrimming(ctx: AppContext): void {
  startBackgroundJob(ctx, TRIM_MS, "trimming notifications failed", () => trimGrown(ctx));
  runOnOne(ctx, "sweep notifications", SWEEP_MS, "the sweep of notifications failed", () => sweepNotifications(ctx));
}

/**
 * Deletes the oldest notifications of lists that have grown too long, first those of senders who caused too many: a
 * stranger who mentions somebody a thousand times does not push out what others wrote.
 */
export async function trimGrown(ctx: AppContext): Promise<void> {
  const userIds = [...grown(ctx)].slice(0, USERS);
  if (userIds.length === 0) return;
  for (const userId of userIds) grown(ctx).delete(userId);
  for (const { user_id, ...from } of await store.crowdingSenders(ctx.db, NOTIFICATIONS_PER_SENDER, userIds)) {
    await trim(ctx, user_id, from, NOTIFICATIONS_PER_SENDER);
  }
  for (const userId of await store.crowdedLists(ctx.db, NOTIFICATIONS_PER_USER, userIds)) {
    await trim(ctx, userId, null, NOTIFICATIONS_PER_USER);
  }
}

function trim(ctx: AppContext, ...of: [userId: number, from: Parameters<typeof store.deleteOldest>[2], max: number]) {
  return transact(ctx, async (ctx) => publishGone(ctx, await store.deleteOldest(ctx.db, ...of)));
}

/** Deletes, in small steps, notifications that are too old, and those whose messages were deleted for good. */
export async function sweepNotifications(ctx: AppContext): Promise<void> {
  const before = ctx.clock.now() - NOTIFICATION_DAYS * DAY_MS;
  while ((await store.deleteOld(ctx.db, before, ROWS)) === ROWS) await turn();
  for (let after = 0; ; await turn()) {
    const upTo = await store.idAfter(ctx.db, after, ROWS);
    if (upTo === undefined) return;
    await store.deleteOrphans(ctx.db, after, upTo);
    after = upTo;
  }
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
