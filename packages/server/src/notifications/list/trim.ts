import { NOTIFICATION_DAYS } from "@parley/protocol/limits";
import { startBackgroundJob } from "../../base/background-job.ts";
import { runOnOne } from "../../cluster/duties.ts";
import { type AppContext, perServer } from "../../context.ts";
import { keepWithinLimits } from "./notifications.service.ts";
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

/** Keeps the lists that have grown within their limits. */
export async function trimGrown(ctx: AppContext): Promise<void> {
  const userIds = [...grown(ctx)].slice(0, USERS);
  if (userIds.length === 0) return;
  for (const userId of userIds) grown(ctx).delete(userId);
  await keepWithinLimits(ctx, userIds);
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
