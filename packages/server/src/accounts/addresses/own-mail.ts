import type { OwnMail } from "@parley/protocol/own-mail";
import type { AppContext } from "../../context.ts";
import { fail } from "../../errors.ts";
import type { UserIdentity } from "../../http/identity.ts";
import { findUserById } from "../accounts.store.ts";
import { mailSink, requireMail } from "../mails.ts";
import { hasConfirmed } from "./confirmed.ts";

/**
 * Returns the caller's address, and whether mails reach it.
 * @throws mail_off
 */
export async function ownMail(ctx: AppContext, { userId }: UserIdentity): Promise<OwnMail> {
  requireMail(ctx);
  const user = await findUserById(ctx.db, userId);
  if (user === null) throw fail("session_required");
  const { email: address } = user;
  if (address === null) return { address, state: "none" };
  if (await mailSink.of(ctx).isStopped(ctx, address)) return { address, state: "refused" };
  return { address, state: (await hasConfirmed(ctx, user)) ? "confirmed" : "unconfirmed" };
}
