import { RATES } from "@parley/protocol/limits";
import { isoTime } from "../../base/iso-time.ts";
import type { AppContext } from "../../context.ts";
import { transact } from "../../db/transact.ts";
import { fail } from "../../errors.ts";
import { rateLimited } from "../../http/rates.ts";
import { findUserByName, lockUser, type UserRow } from "../accounts.store.ts";
import { addressKey } from "../addresses/address-key.ts";
import { confirmedUser, reachableUser } from "../addresses/confirmed.ts";
import { enqueueMail, requireMail } from "../mails.ts";
import { nameKey } from "../names/names.ts";
import { isEmail } from "../profiles/addresses.ts";
import { notifyOwner } from "../security-notices/security-notices.ts";
import { mayUsePassword } from "../ways-in.ts";
import { hasLinkByOther, storeLink } from "./reset-links.ts";

/** How long a mailed link can be used. */
const LIFETIME_MS = 3_600_000;

/**
 * Asks for a mail with a link to choose a new password (protocol §17). It does the same for every name and address, known
 * or not: who gets a mail is decided when it is made, so neither the answer nor its time tells anything.
 * @throws mail_off, password_login_off, rate_limited
 */
export async function forgotPassword(ctx: AppContext, account: string): Promise<void> {
  requireMail(ctx);
  if (ctx.config.passwordLogin === "off") throw fail("password_login_off");
  const typed = account.trim();
  const taken = await ctx.limiter.take(RATES.forgotAccount, isEmail(typed) ? addressKey(typed) : nameKey(typed));
  if (!taken.allowed) throw rateLimited(taken);
  // Where it goes is found out when it is sent.
  await transact(ctx, (ctx) => enqueueMail(ctx, { kind: "reset_password", to: {}, parameters: { account: typed } }));
}

/** Returns the user whom a name or a confirmed address means; null: nobody. */
export async function accountMeant(ctx: AppContext, account: string): Promise<number | null> {
  if (isEmail(account)) return confirmedUser(ctx, account);
  return (await findUserByName(ctx.db, account))?.id ?? null;
}

/** The link in a mail that resets a password, or the reason for which no mail is sent. */
export type MailedLink = { user: UserRow; address: string; token: string; expiresAt: number } | { dropped: string };

/**
 * Makes a link for a user who asked for it by mail, in place of an earlier mailed one, in the transaction in which the
 * mail is made. It is one of the reset links and ends as they do. `isFirst`: the user's list of notices says so.
 */
export async function makeMailedLink(ctx: AppContext, userId: number, isFirst: boolean): Promise<MailedLink> {
  const locked = await lockUser(ctx.db, userId);
  const reachable = await reachableUser(ctx, userId);
  if ("dropped" in reachable) return reachable;
  const { user, address } = reachable;
  if (locked === null || !mayUsePassword(ctx.config, user)) return { dropped: "no login by password" };
  // An account without a password logs in by a provider or a passkey. Its mailbox must not become a second way in.
  if (user.password_hash === null) return { dropped: "no password" };
  // Anybody can ask for this mail, so it must not end the link that an administrator has given to the user.
  if (await hasLinkByOther(ctx, userId)) return { dropped: "a link by an administrator" };
  const { token, expiresAt } = await storeLink(ctx, user, user.id, LIFETIME_MS);
  if (isFirst) {
    const details = { expires_at: isoTime(expiresAt), mailed: true };
    await notifyOwner(ctx, { userId, kind: "reset_link_made", by: "self", details });
  }
  return { user, address, token, expiresAt };
}
