import type { Honor, PointsQuery, PointsResponse } from "@parley/protocol/points";
import { isoTime } from "../base/iso-time.ts";
import type { AppContext } from "../context.ts";
import type { UserIdentity } from "../http/identity.ts";
import { pageBefore } from "../http/pages.ts";
import { ADMINISTRATOR, requireLevel } from "../http/site-levels.ts";
import { POINTS, userAccount } from "../ledger/account-names.ts";
import { statementOf } from "../ledger/statement.ts";
import { countedActivity } from "./activity.ts";
import { findHonor } from "./honor.store.ts";
import { findHold } from "./initial-grant.ts";
import { settleOnlineTime } from "./online-time.ts";
import { honorLevel, scoreOf } from "./score.ts";

const HOUR_MS = 3_600_000;

/**
 * Returns what a user has earned (protocol §2), including every message and every hour up to this call.
 */
export async function readHonor(ctx: AppContext, user: { id: number }): Promise<Honor> {
  await bringUpToDate(ctx, user.id);
  const honor = await findHonor(ctx.db, user.id);
  const { honorThresholds } = ctx.config;
  const level = honorLevel(honorThresholds, honor.total_points);
  return {
    honor_level: level,
    total_points: honor.total_points,
    level_points: honorThresholds[level] ?? 0,
    next_level_points: honorThresholds[level + 1] ?? null,
    online_hours: hoursOf(honor.online_ms),
    invite_count: honor.invite_count,
    message_count: honor.message_count,
  };
}

/** Rounds down to four decimals, so that the result never exceeds the actual hours. */
const hoursOf = (ms: number): number => Math.floor((ms / HOUR_MS) * 10_000) / 10_000;

/** Counts pending activity. If the database is read-only, what has been counted so far is returned. */
async function bringUpToDate(ctx: AppContext, userId: number): Promise<void> {
  try {
    await countedActivity(ctx);
    await settleOnlineTime(ctx, userId);
  } catch (error) {
    if (ctx.storageError(error) === undefined) throw error;
    ctx.log.warn({ err: error, userId }, "updating honor failed");
  }
}

/**
 * Lists the changes of a user's points, newest first, for the user and administrators.
 * @throws forbidden, invalid_cursor
 */
export async function readPoints(
  ctx: AppContext,
  caller: UserIdentity,
  user: { id: number; username: string },
  query: PointsQuery,
): Promise<Omit<PointsResponse, "success">> {
  if (user.id !== caller.userId) requireLevel(caller, ADMINISTRATOR);
  await bringUpToDate(ctx, user.id);
  const statement = { account: userAccount(user.id), currency: POINTS };
  const { shown, ...rest } = await pageBefore(query.limit, (limit) =>
    statementOf(ctx, statement, { before: query.before, limit }),
  );
  const { points } = await scoreOf(ctx, user.id);
  const hold = await findHold(ctx, user.id);
  return {
    username: user.username,
    points,
    available: Math.max(0, points - Number(hold?.amount ?? 0)),
    on_hold_until: hold === null ? null : isoTime(hold.until),
    entries: shown.map(({ id, kind, amount, balance, created_at }) => ({
      entry_id: id,
      kind,
      amount: Number(amount),
      balance: Number(balance),
      created_at: isoTime(created_at),
    })),
    ...rest,
  };
}
