import type { AppContext } from "../../context.ts";
import { fail } from "../../errors.ts";
import type { UserIdentity } from "../../http/identity.ts";
import { holdSession } from "./sessions.store.ts";
import { SESSION_IDLE_MS } from "./sessions.ts";

/**
 * Returns the caller as the database knows them now, and holds their rows until the transaction ends. Errors:
 * `session_required` if the session has ended or the user is suspended.
 */
export async function userNow(ctx: AppContext, caller: UserIdentity): Promise<UserIdentity> {
  const row = await holdSession(ctx.db, caller.sessionId, caller.userId);
  const now = ctx.clock.now();
  if (row === null || row.expires_at <= now || now - row.last_seen_at >= SESSION_IDLE_MS)
    throw fail("session_required");
  if ((row.suspended_until ?? 0) > now) throw fail("session_required");
  return { ...caller, username: row.username, adminLevel: row.admin_level, authenticatedAt: row.authenticated_at };
}
