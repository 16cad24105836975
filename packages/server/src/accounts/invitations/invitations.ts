import {
  INVITATION_DAYS,
  type Invitation,
  type MakeInvitationBody,
  OPEN_INVITATIONS_MAX,
} from "@parley/protocol/invitations";
import { audit } from "../../audit/audit.ts";
import { isoTime, isoTimeOrNull } from "../../base/iso-time.ts";
import type { AppContext } from "../../context.ts";
import { transact } from "../../db/transact.ts";
import { fail } from "../../errors.ts";
import type { UserIdentity } from "../../http/identity.ts";
import { type OffsetQuery, pageByOffset } from "../../http/pages.ts";
import { ADMINISTRATOR, hasLevel } from "../../http/site-levels.ts";
import { lockUser } from "../accounts.store.ts";
import * as store from "./invitations.store.ts";
import { newInvitationCode, readInviteCode } from "./invite-code.ts";

const DAY_MS = 86_400_000;
/** Invitations of one user that are kept, with those that ended: five times as many as can be open. */
const KEPT = 5 * OPEN_INVITATIONS_MAX;

/**
 * Makes an invitation. Its code works like the user's own, for a limited time and number of accounts. `made` runs in the
 * same transaction.
 * @throws invitation_limit_reached
 */
export async function makeInvitation(
  ctx: AppContext,
  caller: UserIdentity,
  { days = INVITATION_DAYS.usual, uses_max = 1 }: MakeInvitationBody,
  made?: (ctx: AppContext, row: store.InvitationRow) => Promise<void>,
): Promise<Invitation> {
  return transact(ctx, async (ctx) => {
    // Of two calls at once, the second counts the invitation of the first.
    const user = await lockUser(ctx.db, caller.userId);
    if (user === null || user.erased_at !== null) throw fail("session_required");
    const now = ctx.clock.now();
    if ((await store.countOpen(ctx.db, caller.userId, now)) >= OPEN_INVITATIONS_MAX)
      throw fail("invitation_limit_reached");
    const row = await store.insertInvitation(ctx.db, {
      code: newInvitationCode(ctx.clock),
      user_id: caller.userId,
      created_at: now,
      expires_at: now + days * DAY_MS,
      uses_max,
      uses: 0,
      revoked_at: null,
    });
    await made?.(ctx, row);
    await store.keepNewest(ctx.db, caller.userId, KEPT, now);
    return record(ctx, { ...row, username: user.username });
  });
}

/** Lists the caller's invitations, newest first. */
export const ownInvitations = (ctx: AppContext, { userId }: UserIdentity, query: OffsetQuery) =>
  pageOf(ctx, userId, query);

/** Lists the invitations of all users, newest first. The caller checks the level. */
export const allInvitations = (ctx: AppContext, query: OffsetQuery) => pageOf(ctx, null, query);

async function pageOf(ctx: AppContext, userId: number | null, query: OffsetQuery) {
  const { shown, ...page } = await pageByOffset(query, (page) => store.listInvitations(ctx.db, userId, page));
  return { invitations: shown.map((row) => record(ctx, row)), ...page };
}

/**
 * Revokes an invitation of the caller or, for administrators, of anybody, which is audited. Revoking it again changes
 * nothing.
 * @throws invitation_not_found
 */
export async function revokeInvitation(ctx: AppContext, caller: UserIdentity, code: string): Promise<Invitation> {
  return transact(ctx, async (ctx) => {
    const found = await store.findInvitation(ctx.db, readInviteCode(code));
    const isOwn = found?.user_id === caller.userId;
    if (found === null || !(isOwn || hasLevel(caller, ADMINISTRATOR))) throw fail("invitation_not_found");
    const now = ctx.clock.now();
    if (!(await store.revokeInvitation(ctx.db, found.id, now))) return record(ctx, found);
    if (!isOwn) await audit(ctx, caller, "invitation_revoke", `user:${found.user_id}`, { invitation_id: found.id });
    return record(ctx, { ...found, revoked_at: now });
  });
}

/**
 * Returns the maker of the invitation with this code; null if there is none.
 * @throws invitation_revoked, invitation_used_up, invitation_expired
 */
export async function invitedWith(ctx: AppContext, code: string): Promise<number | null> {
  const found = await store.findInvitation(ctx.db, code);
  if (found === null) return null;
  const state = stateOf(ctx, found);
  if (state !== "open") throw fail(`invitation_${state}`);
  return found.user_id;
}

/** Returns an invitation that can be used; null if there is none with this id. */
export async function openInvitation(ctx: AppContext, id: number): Promise<store.NamedInvitation | null> {
  const found = await store.findInvitationById(ctx.db, id);
  return found !== null && stateOf(ctx, found) === "open" ? found : null;
}

/**
 * Uses the invitation with this code once, in the caller's transaction, which makes the account. Does nothing if there
 * is none.
 * @throws invitation_revoked, invitation_used_up, invitation_expired
 */
export async function useInvitation(ctx: AppContext, code: string): Promise<void> {
  if (await store.takeUse(ctx.db, code, ctx.clock.now())) return;
  if ((await invitedWith(ctx, code)) !== null) throw fail("invitation_used_up");
}

function stateOf(
  ctx: AppContext,
  { revoked_at, uses, uses_max, expires_at }: store.InvitationRow,
): Invitation["state"] {
  if (revoked_at !== null) return "revoked";
  if (uses >= uses_max) return "used_up";
  return expires_at <= ctx.clock.now() ? "expired" : "open";
}

function record(ctx: AppContext, row: store.NamedInvitation): Invitation {
  return {
    invitation_id: row.id,
    code: row.code,
    created_by: row.username,
    created_at: isoTime(row.created_at),
    expires_at: isoTime(row.expires_at),
    uses_max: row.uses_max,
    uses: row.uses,
    revoked_at: isoTimeOrNull(row.revoked_at),
    state: stateOf(ctx, row),
  };
}
