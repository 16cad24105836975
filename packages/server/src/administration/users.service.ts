import type { AdministerUserBody, AdminUser } from "@parley/protocol/administration";
import { PAGE_DEFAULT, PAGE_MAX } from "@parley/protocol/limits";
import { changeStanding } from "../accounts/standing.ts";
import type { AppContext } from "../context.ts";
import { fail } from "../errors.ts";
import type { UserIdentity } from "../http/identity.ts";
import { type AdminUserRow, listUsers, type UserFilter } from "./users.store.ts";

/** A page of the users, by name. Whoever may see it has been let in by the caller. */
export async function usersPage(
  ctx: AppContext,
  filter: UserFilter & { limit?: number | undefined; offset?: number | undefined },
) {
  const limit = Math.min(filter.limit ?? PAGE_DEFAULT, PAGE_MAX);
  const offset = filter.offset ?? 0;
  const rows = await listUsers(ctx.db, filter, ctx.clock.now(), { limit: limit + 1, offset });
  const more = rows.length > limit;
  return {
    users: rows.slice(0, limit).map((row) => adminUser(ctx, row)),
    has_more: more,
    next_offset: more ? offset + limit : null,
    limit,
  };
}

/** Errors: those of `changeStanding`, `invalid_request` (no such time). */
export async function administerUser(
  ctx: AppContext,
  caller: UserIdentity,
  username: string,
  { admin_level, suspended_until }: AdministerUserBody,
): Promise<AdminUser> {
  const suspendedUntil = typeof suspended_until === "string" ? Date.parse(suspended_until) : suspended_until;
  if (Number.isNaN(suspendedUntil)) {
    throw fail("invalid_request", { details: [{ path: "suspended_until", message: "must be a time" }] });
  }
  return adminUser(ctx, await changeStanding(ctx, caller, username, { adminLevel: admin_level, suspendedUntil }));
}

/** The user as administrators see him; a suspension that has lapsed is none. */
export function adminUser(ctx: AppContext, row: AdminUserRow): AdminUser {
  const until = row.suspended_until;
  return {
    username: row.username,
    email: row.email,
    admin_level: row.admin_level,
    suspended_until: until !== null && until > ctx.clock.now() ? new Date(until).toISOString() : null,
    is_online: ctx.presence.isUserOnline(row.id),
    created_at: new Date(row.created_at).toISOString(),
  };
}
