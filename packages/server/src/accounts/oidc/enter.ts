import type { AppContext } from "../../context.ts";
import { transact } from "../../db/transact.ts";
import { AppError, fail } from "../../errors.ts";
import { createUser, onRegistration } from "../accounts.service.ts";
import { lockUser, type UserRow } from "../accounts.store.ts";
import { askToConfirm } from "../addresses/confirm-address.ts";
import { useClaimLink } from "../claimable/claim-account.ts";
import { lockAccount } from "../erase/erase.ts";
import { setLevelByRoles } from "../levels-and-suspensions.ts";
import { isEmail } from "../profiles/addresses.ts";
import { notifyOwner } from "../security-notices/security-notices.ts";
import { type KnownDevice, knownDevice, type LoginOrigin } from "../sessions/devices.ts";
import { type LoggedIn, openSession } from "../sessions/start-login.ts";
import * as store from "./identities.store.ts";
import { checkDomain, type Person } from "./person.ts";
import { freeUsername } from "./username.ts";

/** Another login was first, with this identity or this name. The next try sees what it did. */
class LostRace extends Error {}

/** Each try that is lost means that another login has succeeded. */
const TRIES = 5;

/**
 * Logs a person in whom the provider has sent: to the account that is linked to them, or to a new one. The provider is
 * responsible for its factors, so nothing more is asked here.
 * @throws domain_not_allowed, signup_closed, account_suspended
 */
export async function enter(ctx: AppContext, person: Person, origin: LoginOrigin): Promise<LoggedIn> {
  checkDomain(ctx.config, person);
  const known = await knownDevice(ctx, origin.deviceToken);
  for (let left = TRIES; ; left -= 1) {
    try {
      return await transact(ctx, (ctx) => enterOnce(ctx, person, known, origin));
    } catch (error) {
      if (left === 1 || !isLostRace(error)) throw error;
    }
  }
}

const isLostRace = (error: unknown): boolean =>
  error instanceof LostRace || (error instanceof AppError && error.code === "username_taken");

async function enterOnce(
  ctx: AppContext,
  person: Person,
  known: KnownDevice | null,
  origin: LoginOrigin,
): Promise<LoggedIn> {
  return enterAs(ctx, person, known, origin, (await linkedUser(ctx, person)) ?? (await signUp(ctx, person)));
}

/** Opens the session of a locked user, in the caller's transaction, with an identity that is linked to them. */
async function enterAs(
  ctx: AppContext,
  person: Person,
  known: KnownDevice | null,
  origin: LoginOrigin,
  { user, identityId }: { user: UserRow; identityId: number },
): Promise<LoggedIn> {
  if (person.level !== undefined) await setLevelByRoles(ctx, user, person.level);
  const authenticatedAt = Math.min(person.authenticatedAt ?? ctx.clock.now(), ctx.clock.now());
  const login = await openSession(ctx, user, known, { ...origin, authenticatedAt });
  await store.insertIdentitySession(ctx.db, {
    session_id: login.identity.sessionId,
    identity_id: identityId,
    provider_session: person.providerSession,
  });
  return login;
}

/** Returns the locked user with this identity, and notes the login; null if there is none. */
async function linkedUser(ctx: AppContext, { issuer, subject, label }: Person) {
  const found = await store.findIdentity(ctx.db, issuer, subject);
  if (found === null) return null;
  // Locked: a concurrent suspension, unlinking or erasure sees this session and ends it, or comes first.
  const user = await lockUser(ctx.db, found.user_id);
  const isLinked = await store.touchIdentity(ctx.db, found.id, label, ctx.clock.now());
  if (user === null || !isLinked) throw new LostRace();
  return { user, identityId: found.id };
}

async function signUp(ctx: AppContext, person: Person): Promise<{ user: UserRow; identityId: number }> {
  if (!ctx.config.oidcSignup) throw fail("signup_closed");
  const username = await freeUsername(ctx, person.name);
  const email = person.email !== null && isEmail(person.email) ? person.email : null;
  const user = await createUser(ctx, { username, email, passwordHash: null, invitedBy: null, adminLevel: null });
  const identityId = await insert(ctx, user.id, person, ctx.clock.now());
  if (identityId === null) throw new LostRace();
  // The provider's word is not enough: whoever has confirmed an address can choose a password with it.
  if (email !== null) await askToConfirm(ctx, user.id, email);
  for (const step of onRegistration.of(ctx)) await step(ctx, user.id, null);
  return { user, identityId };
}

function insert(ctx: AppContext, user_id: number, { issuer, subject, label }: Person, last_login_at: number | null) {
  const row = { user_id, issuer, subject, label, created_at: ctx.clock.now(), last_login_at };
  return store.insertIdentity(ctx.db, row);
}

/**
 * Links a person whom the provider has sent to a user who is logged in.
 * @throws domain_not_allowed, identity_taken, session_required (the account was deleted)
 */
export async function link(ctx: AppContext, person: Person, userId: number): Promise<void> {
  checkDomain(ctx.config, person);
  await transact(ctx, async (ctx) => {
    if (!(await lockAccount(ctx, userId))) throw fail("session_required");
    if ((await insert(ctx, userId, person, null)) !== null) {
      const details = { issuer: person.issuer };
      return notifyOwner(ctx, { userId, kind: "identity_linked", by: "self", details });
    }
    const found = await store.findIdentity(ctx.db, person.issuer, person.subject);
    if (found?.user_id !== userId) throw fail("identity_taken");
  });
}

/**
 * Claims an account that an import made, for a person whom the provider has sent, and logs them in (protocol §14.5).
 * Neither the provider's settings for new accounts nor PARLEY_REGISTRATION decide: the link does.
 * @throws domain_not_allowed, claim_link_expired, account_suspended, identity_taken
 */
export async function claim(ctx: AppContext, person: Person, token: string, origin: LoginOrigin): Promise<LoggedIn> {
  checkDomain(ctx.config, person);
  const known = await knownDevice(ctx, origin.deviceToken);
  return transact(ctx, async (ctx) => {
    const user = await useClaimLink(ctx, token);
    const identityId = await insert(ctx, user.id, person, ctx.clock.now());
    if (identityId === null) throw fail("identity_taken");
    return enterAs(ctx, person, known, origin, { user, identityId });
  });
}
