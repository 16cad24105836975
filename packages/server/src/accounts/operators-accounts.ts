import { audit, COMMAND_LINE } from "../audit/audit.ts";
import type { AppContext } from "../context.ts";
import { transact } from "../db/transact.ts";
import { OWNER } from "../http/site-levels.ts";
import { recordControl } from "../realtime/control/control.ts";
import { createUser } from "./accounts.service.ts";
import * as store from "./accounts.store.ts";
import { checkUsername } from "./names/names.ts";
import { checkNewPassword, hashPassword } from "./passwords/passwords.ts";
import { keepNotice } from "./security-notices/security-notices.ts";
import { removeSessionsExcept } from "./sessions/sessions.store.ts";

/** The result of `user create`. */
export interface AccountMade {
  username: string;
}

/**
 * Makes an account, whatever PARLEY_REGISTRATION says. Without a password nobody can log in to it until a reset link
 * gives it one. `join` runs in the same transaction.
 * @throws invalid_username, weak_password, username_taken
 */
export async function makeAccount(
  ctx: AppContext,
  username: string,
  password: string | null,
  join: (ctx: AppContext, userId: number) => Promise<void>,
): Promise<AccountMade> {
  checkUsername(username);
  if (password !== null) checkNewPassword(ctx, password, username);
  const passwordHash = password === null ? null : await hashPassword(ctx, password);
  return transact(ctx, async (ctx) => {
    const user = await createUser(ctx, { username, email: null, passwordHash, invitedBy: null, adminLevel: null });
    await join(ctx, user.id);
    await audit(ctx, COMMAND_LINE, "user_create", `user:${user.id}`);
    return { username: user.username };
  });
}

/** The result of `owner create`. */
export interface OwnerCreated {
  username: string;
  /** False when an existing account was promoted. */
  created: boolean;
  /** True for the first owner, who receives the channel `general` (protocol §2). */
  ownsGeneral: boolean;
}

/**
 * Makes an account of level 3, or promotes the existing one of that name. An existing account gets this password and
 * loses its sessions, so that whoever registered the name first does not become the owner. Used by the command line; a
 * running server learns of the change from `control_log`. `giveGeneral` runs in the same transaction and returns the id
 * of the channel that the owner received, or null.
 * @throws invalid_username, weak_password, username_taken (an agent has the name)
 */
export async function makeOwner(
  ctx: AppContext,
  username: string,
  password: string,
  giveGeneral: (ctx: AppContext, userId: number) => Promise<number | null>,
): Promise<OwnerCreated> {
  checkNewPassword(ctx, password, username);
  const passwordHash = await hashPassword(ctx, password);
  return transact(ctx, async (ctx) => {
    const found = await store.findUserByName(ctx.db, username);
    const user = found === null ? await newOwner(ctx, username, passwordHash) : await promote(ctx, found, passwordHash);
    const general = await giveGeneral(ctx, user.id);
    const action = found === null ? "owner_create" : "owner_promote";
    await audit(ctx, COMMAND_LINE, action, `user:${user.id}`);
    await recordControl(ctx.db, ctx.clock, "user_changed", user.id);
    if (general !== null) {
      await recordControl(ctx.db, ctx.clock, "channel_changed", general);
      await recordControl(ctx.db, ctx.clock, "membership_changed", { channelId: general, member: `u${user.id}` });
    }
    return { username: user.username, created: found === null, ownsGeneral: general !== null };
  });
}

/** Returns true if the site has an owner. */
export const hasOwner = ({ db }: AppContext): Promise<boolean> => store.hasAdmin(db, OWNER);

async function newOwner(ctx: AppContext, username: string, passwordHash: string): Promise<store.UserRow> {
  checkUsername(username);
  return createUser(ctx, { username, email: null, passwordHash, invitedBy: null, adminLevel: OWNER });
}

async function promote(ctx: AppContext, user: store.UserRow, passwordHash: string): Promise<store.UserRow> {
  const change = { admin_level: OWNER, password_hash: passwordHash, suspended_until: null };
  await store.updateUser(ctx.db, user.id, change, ctx.clock.now());
  await removeSessionsExcept(ctx.db, user.id, null);
  await recordControl(ctx.db, ctx.clock, "user_sessions_ended", { userId: user.id, except: null });
  await keepNotice(ctx, { userId: user.id, kind: "password_changed", by: "operator" });
  const details = { from: user.admin_level, to: OWNER };
  await keepNotice(ctx, { userId: user.id, kind: "level_changed", by: "operator", details });
  return user;
}
