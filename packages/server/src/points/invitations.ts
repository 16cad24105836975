import { runOnOne } from "../cluster/duties.ts";
import type { AppContext } from "../context.ts";
import { transact } from "../db/transact.ts";
import { dayOf } from "./daily-limits.ts";
import { creditInvite } from "./earning.ts";
import {
  findDue,
  insertInvitation,
  lockActiveUsers,
  lockUnwritten,
  setWritten,
  takeInvitation,
} from "./invitations.store.ts";

/** How old an invited account must be before production pays its inviter. */
const AGE_MS = 24 * 60 * 60_000;
const SWEEP_MS = 60_000;
const PAGE = 100;
/** Invitations looked up in one statement. */
const LOOKED_UP = 512;

/** The first and last time of a user's messages in a span, in epoch milliseconds. */
export interface Written {
  userId: number;
  first: number;
  last: number;
}

/**
 * Pays the inviter, inside the transaction that makes the user: at once in development, later in production (protocol
 * §2), because making unused accounts costs nothing.
 */
export async function payOrPostpone(ctx: AppContext, inviterId: number, userId: number): Promise<void> {
  if (ctx.config.profile !== "production") return creditInvite(ctx, inviterId, userId);
  const due_at = ctx.clock.now() + AGE_MS;
  await insertInvitation(ctx.db, { user_id: userId, inviter_id: inviterId, due_at, first_day: null, wrote_again: 0 });
}

/** Records the days on which invited users wrote, inside the transaction that counts their messages. */
export async function noteWritten(ctx: AppContext, written: readonly Written[]): Promise<void> {
  const byUser = new Map(written.map((times) => [times.userId, times]));
  const ids = [...byUser.keys()];
  for (let from = 0; from < ids.length; from += LOOKED_UP) {
    for (const { user_id, first_day } of await lockUnwritten(ctx.db, ids.slice(from, from + LOOKED_UP))) {
      const times = byUser.get(user_id);
      if (times !== undefined) await noteDays(ctx, user_id, first_day, times);
    }
  }
}

async function noteDays(
  ctx: AppContext,
  userId: number,
  known: number | null,
  { first, last }: Written,
): Promise<void> {
  const days = [dayOf(first), dayOf(last)];
  const [day] = known === null ? days : [known];
  const isOther = days.some((written) => written !== day);
  if (known !== null && !isOther) return;
  await setWritten(ctx.db, { user_id: userId, first_day: day ?? null, wrote_again: isOther ? 1 : 0 });
}

/** Pays due invitations periodically, until the server closes. */
export function startInvitations(ctx: AppContext): void {
  runOnOne(ctx, "pay invitations", SWEEP_MS, "paying invitations failed; it will be retried", () =>
    payDueInvitations(ctx),
  );
}

/** Pays the inviters of all users whose invitation is due. */
export async function payDueInvitations(ctx: AppContext): Promise<void> {
  for (;;) {
    const due = await findDue(ctx.db, ctx.clock.now(), PAGE);
    for (const userId of due) await transact(ctx, (ctx) => settle(ctx, userId));
    if (due.length < PAGE) return;
  }
}

/** Settles an invitation. It pays nothing if either account is now suspended or erased. */
async function settle(ctx: AppContext, userId: number): Promise<void> {
  const invitation = await takeInvitation(ctx.db, userId);
  if (invitation === undefined) return;
  const both = [userId, invitation.inviter_id];
  const active = await lockActiveUsers(ctx.db, both, ctx.clock.now());
  if (active.length === both.length) await creditInvite(ctx, invitation.inviter_id, userId);
}
