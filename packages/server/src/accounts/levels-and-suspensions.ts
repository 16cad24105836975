import type { Selectable } from "kysely";
import { audit, COMMAND_LINE, PROVIDER } from "../audit/audit.ts";
import { isoTime } from "../base/iso-time.ts";
import type { AppContext } from "../context.ts";
import type { UsersTable } from "../db/tables/users.ts";
import { transact } from "../db/transact.ts";
import { fail } from "../errors.ts";
import type { UserIdentity } from "../http/identity.ts";
import { ADMINISTRATOR, hasLevel, OWNER } from "../http/site-levels.ts";
import { publishControl, recordControl } from "../realtime/control/control.ts";
import type { ControlKind, ControlSubjects } from "../realtime/control/control-subjects.ts";
import * as store from "./accounts.store.ts";
import { keepNotice, type NoticeInput, notifyOwner } from "./security-notices/security-notices.ts";
import { endUserSessions } from "./sessions/sessions.ts";

/** The stored and displayed end of a permanent suspension. */
export const FOR_EVER = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/** The actor of the change. */
type Actor = UserIdentity | typeof COMMAND_LINE;

/** A change of a user's level or suspension; undefined fields keep their value. */
export interface StandingChange {
  adminLevel?: number | null | undefined;
  /** Epoch milliseconds; null or a time in the past ends a suspension. */
  suspendedUntil?: number | null | undefined;
}

/**
 * Changes a user's site level or suspends them (protocol §1). Owners of the site set levels 1 and 2; owners and
 * administrators suspend. Nobody can change themselves or anybody of their own or a higher level; the command line can
 * change everybody. A suspension ends the sessions and sockets, and pauses the agents of which the user is the verified
 * owner for the same time.
 * Errors: `no_fields`, `user_not_found`, `forbidden`.
 */
export async function changeStanding(
  ctx: AppContext,
  by: Actor,
  username: string,
  change: StandingChange,
): Promise<Selectable<UsersTable>> {
  if (change.adminLevel === undefined && change.suspendedUntil === undefined) throw fail("no_fields");
  if (by !== COMMAND_LINE && !mayChangeAnyone(by, change)) throw fail("forbidden");
  return transact(ctx, async (ctx) => {
    const found = await store.findUserByName(ctx.db, username);
    // Locked: a concurrent login either precedes this and is ended by it, or follows it and is refused.
    const user = found === null ? null : await store.lockUser(ctx.db, found.id);
    if (user === null) throw fail("user_not_found");
    if (by !== COMMAND_LINE && !mayChange(by, user)) throw fail("forbidden");
    if (change.adminLevel !== undefined) await setLevel(ctx, by, user, change.adminLevel);
    if (change.suspendedUntil !== undefined) await setSuspension(ctx, by, user, change.suspendedUntil);
    return (await store.findUserById(ctx.db, user.id)) ?? user;
  });
}

function mayChangeAnyone(by: UserIdentity, { adminLevel }: StandingChange): boolean {
  return hasLevel(by, adminLevel === undefined ? ADMINISTRATOR : OWNER);
}

function mayChange(by: UserIdentity, user: store.UserRow): boolean {
  return by.userId !== user.id && (by.adminLevel ?? 0) > (user.admin_level ?? 0);
}

async function setLevel(ctx: AppContext, by: Actor, user: store.UserRow, level: number | null): Promise<void> {
  if (level === user.admin_level) return;
  await store.updateUser(ctx.db, user.id, { admin_level: level }, ctx.clock.now());
  await tell(ctx, by, "user_changed", user.id);
  await audit(ctx, by, "user_level", `user:${user.id}`, { from: user.admin_level, to: level });
  await alertOwner(ctx, by, { userId: user.id, kind: "level_changed", details: { from: user.admin_level, to: level } });
}

/**
 * Gives a user the level of their roles at the provider, in the caller's transaction, which holds the lock of the user's
 * row. Owners keep theirs: only the command line makes and ends them.
 */
export async function setLevelByRoles(ctx: AppContext, user: store.UserRow, level: 1 | 2 | null): Promise<void> {
  if (user.admin_level === OWNER || user.admin_level === level) return;
  const details = { from: user.admin_level, to: level };
  await store.updateUser(ctx.db, user.id, { admin_level: level }, ctx.clock.now());
  publishControl(ctx, "user_changed", user.id, { isRevocation: true });
  await audit(ctx, PROVIDER, "user_level", `user:${user.id}`, details);
  await notifyOwner(ctx, { userId: user.id, kind: "level_changed", by: "operator", details });
}

async function setSuspension(ctx: AppContext, by: Actor, user: store.UserRow, end: number | null): Promise<void> {
  const now = ctx.clock.now();
  const until = end !== null && end > now ? end : null;
  const wasSuspended = (user.suspended_until ?? 0) > now;
  if (until === null && !wasSuspended) return;
  await store.updateUser(ctx.db, user.id, { suspended_until: until }, now);
  if (until === null) await tell(ctx, by, "user_changed", user.id);
  else {
    // Announced first, so that sockets close with this code and not with that of an ended session.
    await tell(ctx, by, "user_suspended", user.id);
    await endUserSessions(ctx, user.id);
    if (by === COMMAND_LINE) await tell(ctx, by, "user_sessions_ended", { userId: user.id, except: null });
  }
  const details = until === null ? undefined : { until: isoTime(until) };
  await audit(ctx, by, until === null ? "user_unsuspend" : "user_suspend", `user:${user.id}`, details);
  await alertOwner(ctx, by, { userId: user.id, kind: until === null ? "suspension_ended" : "suspended", details });
}

/**
 * Notifies the account's owner. The command line has no sockets: its notices are read on the page's next connection.
 */
async function alertOwner(ctx: AppContext, by: Actor, notice: Omit<NoticeInput, "by">): Promise<void> {
  if (by === COMMAND_LINE) await keepNotice(ctx, { ...notice, by: "operator" });
  else await notifyOwner(ctx, { ...notice, by });
}

/** Announces a change. A running server reads those of the command line from `control_log` within 2 s. */
async function tell<K extends ControlKind>(
  ctx: AppContext,
  by: Actor,
  kind: K,
  subject: ControlSubjects[K],
): Promise<void> {
  if (by === COMMAND_LINE) await recordControl(ctx.db, ctx.clock, kind, subject);
  else publishControl(ctx, kind, subject, { isRevocation: true });
}
