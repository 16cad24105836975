import type { AppContext } from "../../context.ts";
import { transact } from "../../db/transact.ts";
import type { ErasingStep } from "../../erasure.ts";
import { hook } from "../../hook.ts";
import { grantInitialPoints } from "../../points/initial-grant.ts";
import { newToken, tokenHash } from "../links/link-token.ts";
import { isEmail } from "../profiles/addresses.ts";
import { notifyOwner } from "../security-notices/security-notices.ts";
import * as store from "./claimable.store.ts";

/** Runs in the transaction of the first login to an account that an import made. */
export const onClaim = hook<(ctx: AppContext, userId: number) => Promise<unknown>>();

/**
 * Notes the first login to an account that an import made (protocol §14.5), in the transaction that opens the session:
 * whichever way the person came in, the account is theirs from then on. Does nothing for other accounts.
 */
export async function claimAtLogin(ctx: AppContext, userId: number): Promise<void> {
  if (!(await store.markClaimed(ctx.db, userId, ctx.clock.now()))) return;
  await store.removeClaimLink(ctx.db, userId);
  await grantInitialPoints(ctx, userId);
  for (const step of onClaim.of(ctx)) await step(ctx, userId);
  await notifyOwner(ctx, { userId, kind: "account_claimed", by: "self" });
}

/** Marks accounts that an import makes as claimable, in the import's transaction. They must have no password. */
export const makeClaimable = (ctx: AppContext, importId: number, userIds: readonly number[]): Promise<void> =>
  store.insertClaimable(
    ctx.db,
    userIds.map((user_id) => ({ user_id, import_id: importId, claimed_at: null })),
  );

/** A link with which a person claims an account. It is as good as a password, and only its hash is stored. */
export interface ClaimLink {
  username: string;
  /** Unverified; null if there is none, or none that could be written to. */
  email: string | null;
  url: string;
}

/** Links that are made in one transaction. */
const AT_ONCE = 500;

/**
 * Makes links for the accounts of an import that nobody has claimed and that are not suspended, in place of their earlier
 * links, and yields them in batches. `expiresAt`: epoch milliseconds.
 */
export async function* makeClaimLinks(
  ctx: AppContext,
  importId: number,
  { origin, expiresAt }: { origin: string; expiresAt: number },
): AsyncGenerator<ClaimLink[]> {
  for (let after: number | null = 0; after !== null; ) {
    const from: number = after;
    const made = await transact(ctx, async (ctx) => {
      const now = ctx.clock.now();
      await store.removeExpiredClaimLinks(ctx.db, now);
      const users = await store.linkableAfter(ctx.db, importId, { after: from, now, limit: AT_ONCE });
      const tokens = users.map(() => newToken(ctx.clock));
      const rows = users.map(({ id }, place) => ({
        user_id: id,
        token_hash: tokenHash(tokens[place] ?? ""),
        created_at: now,
        expires_at: expiresAt,
      }));
      if (rows.length > 0) await store.putClaimLinks(ctx.db, rows);
      const links = users.map(({ username, email }, place) => ({
        username,
        email: email !== null && isEmail(email) ? email : null,
        // The fragment is not sent to servers, so it is in no access log.
        url: `${origin}/claim-account#${tokens[place]}`,
      }));
      return { links, last: users.length < AT_ONCE ? null : (users.at(-1)?.id ?? null) };
    });
    if (made.links.length > 0) yield made.links;
    after = made.last;
  }
}

/** Removes what says that an import made the account, and its link. */
export const eraseClaimable: ErasingStep = async (ctx, { userId }) => {
  await store.forgetClaimable(ctx.db, userId);
  return null;
};
