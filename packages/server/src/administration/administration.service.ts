import type { AdministerUserBody, AdminUser } from "@parley/protocol/administration";
import type { SetupSteps } from "@parley/protocol/site";
import { changeStanding } from "../accounts/levels-and-suspensions.ts";
import { isoTime } from "../base/iso-time.ts";
import type { AppContext } from "../context.ts";
import { fail } from "../errors.ts";
import type { UserIdentity } from "../http/identity.ts";
import { type OffsetQuery, pageByOffset } from "../http/pages.ts";
import { type AdminUserRow, findSetupSteps, listUsers, type UserFilter } from "./administration.store.ts";

/** Returns a page of the users, by name. The caller checks that the user may see it. */
export async function usersPage(ctx: AppContext, query: UserFilter & OffsetQuery) {
  const now = ctx.clock.now();
  const { shown, ...rest } = await pageByOffset(query, (page) => listUsers(ctx.db, query, now, page));
  return { users: await Promise.all(shown.map((row) => adminUser(ctx, row))), ...rest };
}

/** Changes a user's level or suspension. Errors: those of `changeStanding`, `invalid_request` (invalid time). */
export async function administerUser(
  ctx: AppContext,
  caller: UserIdentity,
  username: string,
  { admin_level, suspended_until }: AdministerUserBody,
): Promise<AdminUser> {
  const suspendedUntil = typeof suspended_until === "string" ? Date.parse(suspended_until) : suspended_until;
  if (Number.isNaN(suspendedUntil)) {
    throw fail("invalid_request", { details: [{ path: "suspended_until", message: "must be a valid time or null" }] });
  }
  return adminUser(ctx, await changeStanding(ctx, caller, username, { adminLevel: admin_level, suspendedUntil }));
}

/** Returns a user as administrators see them, without a suspension that has expired. */
export async function adminUser(ctx: AppContext, row: AdminUserRow): Promise<AdminUser> {
  const until = row.suspended_until;
  return {
    username: row.username,
    email: row.email,
    admin_level: row.admin_level,
    suspended_until: until !== null && until > ctx.clock.now() ? isoTime(until) : null,
    is_online: await ctx.presence.isUserOnline(row.id),
    created_at: isoTime(row.created_at),
  };
}

/** Returns which first steps with the site are done. The caller checks that the user may see it. */
export const setupSteps = (ctx: AppContext, caller: UserIdentity): Promise<SetupSteps> =>
  findSetupSteps(ctx.db, caller.userId);
