import type { OwnUser } from "@parley/protocol/models";
import type { WalletChallengeBody, WalletProofBody } from "@parley/protocol/wallets";
import { isoTime } from "../../base/iso-time.ts";
import type { AppContext } from "../../context.ts";
import { isUniqueViolation } from "../../db/database.ts";
import { transact } from "../../db/transact.ts";
import { fail } from "../../errors.ts";
import { slowly } from "../../http/acts/slow.ts";
import type { UserIdentity } from "../../http/identity.ts";
import { publishControl } from "../../realtime/control/control.ts";
import { findUserByName } from "../accounts.store.ts";
import { evmAddress, solAddress } from "../profiles/addresses.ts";
import { ownUser, reauthenticate } from "../profiles/profiles.service.ts";
import { notifyOwner } from "../security-notices/security-notices.ts";
import { setAuthenticatedAt } from "../sessions/sessions.store.ts";
import { isSignedBy, walletMessage } from "./wallet-proof.ts";
import * as store from "./wallets.store.ts";

const CHALLENGE_MS = 10 * 60_000;
/** How long an expired or used challenge is kept, so that a late proof gets a specific error. */
const REMEMBERED_MS = 24 * 3_600_000;
const FORGOTTEN_AT_ONCE = 100;
/** Ethereum mainnet: wallets expect it where no chain is configured. */
const MAINNET = 1;

/** A text for the caller's wallet to sign, and its expiry. */
export interface WalletChallenge {
  challenge_id: number;
  message_to_sign: string;
  expires_at: string;
}

/**
 * Returns a text whose signature proves that the caller owns a wallet. `origin` is the public origin of this server.
 * @throws user_not_found, forbidden, invalid_evm_address, invalid_sol_address
 */
export async function challengeWallet(
  ctx: AppContext,
  caller: UserIdentity,
  username: string,
  { chain, address: text, origin }: WalletChallengeBody & { origin: string },
): Promise<WalletChallenge> {
  await expectSelf(ctx, caller, username);
  const address = chain === "evm" ? await evmAddress(text) : await solAddress(text);
  const now = ctx.clock.now();
  const expiresAt = now + CHALLENGE_MS;
  const message = walletMessage({
    chain,
    address,
    username: caller.username,
    origin,
    chainId: ctx.config.evmChainId ?? MAINNET,
    nonce: Buffer.from(ctx.clock.random(16)).toString("hex"),
    issuedAt: now,
    expiresAt,
  });
  const challenge = { user_id: caller.userId, chain, address, message, expires_at: expiresAt };
  const id = await transact(ctx, async (ctx) => {
    await store.forgetChallenges(ctx.db, now - REMEMBERED_MS, FORGOTTEN_AT_ONCE);
    return store.insertChallenge(ctx.db, challenge);
  });
  return { challenge_id: id, message_to_sign: message, expires_at: isoTime(expiresAt) };
}

/**
 * Verifies the signature and stores the address in the caller's profile as proven. A previous prover of the address
 * loses the proof, because the wallet's owner decides. A challenge is good for one proof; a wrong signature does not
 * use it up.
 * @throws user_not_found, forbidden, challenge_not_found, challenge_used, challenge_expired, invalid_signature,
 * wrong_signature, reauth_required, rate_limited, overloaded
 */
export async function proveWallet(
  ctx: AppContext,
  caller: UserIdentity,
  username: string,
  { challenge_id, signature, current_password }: WalletProofBody,
): Promise<OwnUser> {
  await expectSelf(ctx, caller, username);
  const challenge = await store.findChallenge(ctx.db, challenge_id, caller.userId);
  if (challenge === null) throw fail("challenge_not_found");
  if (challenge.used_at !== null) throw fail("challenge_used");
  if (challenge.expires_at <= ctx.clock.now()) throw fail("challenge_expired");
  const { chain, address, message } = challenge;
  if (!(await slowly(ctx, "signature", () => isSignedBy(chain, address, message, signature))))
    throw fail("wrong_signature");
  const shown = await reauthenticate(ctx, caller, current_password, true);
  const prove = (): Promise<OwnUser> =>
    transact(ctx, async (ctx) => {
      const now = ctx.clock.now();
      if (!(await store.consumeChallenge(ctx.db, challenge.id, now))) throw fail("challenge_used");
      await store.setProven(ctx.db, { userId: caller.userId, chain, address, now });
      await notifyOwner(ctx, { userId: caller.userId, kind: "wallet_proven", by: caller, details: { chain, address } });
      if (shown) await setAuthenticatedAt(ctx.db, caller.sessionId, now);
      publishControl(ctx, "user_changed", caller.userId);
      return ownUser(ctx, caller.userId);
    });
  try {
    return await prove();
  } catch (error) {
    // Two accounts proved the same wallet concurrently: retry after the other has committed.
    if (isUniqueViolation(error)) return prove();
    throw error;
  }
}

/** Returns the user who has proven this address, in its canonical spelling; null if nobody has. */
export function provenUser(ctx: AppContext, chain: store.WalletChain, address: string): Promise<number | null> {
  return store.findProvenUser(ctx.db, chain, address);
}

/** Returns the address on such a chain that this user has proven, in its canonical spelling; null if there is none. */
export function provenAddress(ctx: AppContext, chain: store.WalletChain, userId: number): Promise<string | null> {
  return store.findProvenAddress(ctx.db, chain, userId);
}

/** Throws unless the caller is this user. */
async function expectSelf(ctx: AppContext, caller: UserIdentity, username: string): Promise<void> {
  const user = await findUserByName(ctx.db, username);
  if (user === null) throw fail("user_not_found");
  if (user.id !== caller.userId) throw fail("forbidden");
}
