import { RETURN_TO_MAX } from "@parley/protocol/identities";
import * as oidc from "openid-client";
import { type SlotLimits, Slots, takeTurn } from "../../base/slots.ts";
import { type AppContext, perServer } from "../../context.ts";
import { transact } from "../../db/transact.ts";
import { AppError, fail } from "../../errors.ts";
import { isStorable } from "../../http/body/body.ts";
import type { Identity } from "../../http/identity.ts";
import { addressBlock } from "../../outgoing/address-rules.ts";
import type { LoginOrigin } from "../sessions/devices.ts";
import { endSession } from "../sessions/sessions.ts";
import type { LoggedIn } from "../sessions/start-login.ts";
import { claim, enter, link } from "./enter.ts";
import { FLOW_MS, type Flow, NO_SESSION } from "./flow-cookie.ts";
import { useOnce } from "./identities.store.ts";
import { needsInfo, type Person, personOf } from "./person.ts";
import { findProvider, type Provider, providerFailed } from "./provider.ts";

/** Where the provider leads the browser back to, below this server's address. */
export const CALLBACK = "/api/auth/oidc/callback";

/** Characters of a subject at most (OpenID Connect Core, 2). */
const SUBJECT_MAX = 255;

/** Logins at a time whose codes the provider redeems: in all, from one address, and from its block. */
const SLOTS: SlotLimits<"block"> = { total: 16, perOwner: 4, shares: { block: 8 }, waiting: 64, waitMs: 10_000 };
/** Seconds in which all who wait have had their turn. */
const RETRY_AFTER = 10;

const redeeming = perServer(() => new Slots(SLOTS));

/** A login that begins: where to lead the browser, and what it keeps. */
export interface Begun {
  url: string;
  flow: Flow;
}

/**
 * Begins a login by the provider. `origin` is this server's address; `linkSession` the session whose user links an
 * identity; `claimToken` that of the link with which the person claims an account. With `reauth` the provider checks the
 * person again.
 * @throws oidc_disabled, oidc_failed
 */
export async function beginLogin(
  ctx: AppContext,
  origin: string,
  { returnTo, reauth = false, linkSession = null, claimToken }: BeginOptions,
): Promise<Begun> {
  const { client } = await findProvider(ctx);
  const secret = () => Buffer.from(ctx.clock.random(32)).toString("base64url");
  const [state, nonce, verifier] = [secret(), secret(), secret()];
  const url = oidc.buildAuthorizationUrl(client, {
    redirect_uri: origin + CALLBACK,
    scope: ctx.config.oidcScopes,
    state,
    nonce,
    code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
    code_challenge_method: "S256",
    ...(reauth ? { max_age: "0" } : {}),
  });
  const startedAt = ctx.clock.now();
  const purpose = claimToken === undefined ? { linkSession } : { linkSession: NO_SESSION, claimToken };
  return { url: url.href, flow: { state, nonce, verifier, returnTo: returnPath(returnTo), startedAt, ...purpose } };
}

interface BeginOptions {
  returnTo: string | undefined;
  reauth?: boolean | undefined;
  linkSession?: number | null;
  claimToken?: string;
}

/** How a login ended: with a session, also of an account that was claimed, or with an identity linked to the browser's. */
export type Completed = { login: LoggedIn } | { login: null };

/**
 * Completes the login that this browser has begun. `address` is the address that the provider led to, below `origin`;
 * `caller` is the user of the browser's session.
 * @throws oidc_disabled, oidc_denied, oidc_failed, overloaded, domain_not_allowed, signup_closed, account_suspended,
 * identity_taken, session_required, claim_link_expired
 */
export async function completeLogin(
  ctx: AppContext,
  flow: Flow,
  address: URL,
  { caller, origin }: { caller: Identity; origin: LoginOrigin },
): Promise<Completed> {
  const provider = await findProvider(ctx);
  await takeState(ctx, flow);
  const turn = { owner: origin.address, shares: { block: addressBlock(origin.address) } };
  const redeem = () => personAt(ctx, provider, flow, address);
  const person = await takeTurn(redeeming(ctx), turn, { retryAfter: RETRY_AFTER }, redeem);
  if (flow.claimToken !== undefined) return { login: await claim(ctx, person, flow.claimToken, origin) };
  if (flow.linkSession !== null) {
    if (caller.kind !== "user" || caller.sessionId !== flow.linkSession) throw fail("session_required");
    await link(ctx, person, caller.userId);
    return { login: null };
  }
  const login = await enter(ctx, person, origin);
  // A login again, to confirm a change, replaces the browser's session.
  if (caller.kind === "user" && caller.userId === login.identity.userId)
    await transact(ctx, (ctx) => endSession(ctx, caller.userId, caller.sessionId));
  return { login };
}

/** Each login is completed once, whatever the provider thinks of its code. @throws oidc_failed */
async function takeState(ctx: AppContext, { state }: Flow): Promise<void> {
  const now = ctx.clock.now();
  const hash = Bun.SHA256.hash(`state ${state}`, "hex");
  if (!(await transact(ctx, ({ db }) => useOnce(db, hash, now + 2 * FLOW_MS, now)))) throw fail("oidc_failed");
}

/** Redeems the code and returns who has logged in. @throws oidc_denied, oidc_failed */
async function personAt(ctx: AppContext, { settings, client }: Provider, flow: Flow, address: URL): Promise<Person> {
  try {
    const tokens = await oidc.authorizationCodeGrant(client, address, {
      expectedState: flow.state,
      expectedNonce: flow.nonce,
      pkceCodeVerifier: flow.verifier,
      idTokenExpected: true,
    });
    const claims = tokens.claims();
    if (claims === undefined) throw new Error("the provider sent no ID token");
    if (claims.sub.length > SUBJECT_MAX || !isStorable(claims.sub)) throw new Error("the subject is not as it must be");
    const hasInfo = client.serverMetadata().userinfo_endpoint !== undefined && needsInfo(ctx.config, claims);
    const info = hasInfo ? await oidc.fetchUserInfo(client, tokens.access_token, claims.sub) : {};
    return personOf(ctx.config, settings.issuer, claims, info);
  } catch (error) {
    if (error instanceof AppError) throw error;
    if (error instanceof oidc.AuthorizationResponseError && error.error === "access_denied") throw fail("oidc_denied");
    throw providerFailed(ctx, error, "a login by the OpenID Connect provider failed");
  }
}

/** The host of no server. */
const OWN = "http://own.invalid";
/** Characters that browsers remove from addresses, or read as a slash. */
const MISLEADING = /[\\\p{Cc}\s]/u;

/** Returns the path of this server to show after a login: the given one, or the start page for any other address. */
function returnPath(raw: string | undefined): string {
  if (raw === undefined || raw.length > RETURN_TO_MAX || !/^\/(?!\/)/.test(raw) || MISLEADING.test(raw)) return "/";
  const url = URL.parse(raw, OWN);
  // `/.//host` is a path until it is normalized.
  if (url === null || url.origin !== OWN || url.pathname.startsWith("//")) return "/";
  return `${url.pathname}${url.search}${url.hash}`;
}

/** Returns the address of the page that shows why a login failed. */
export const errorPath = (code: string): string => `/?error=${encodeURIComponent(code)}`;
