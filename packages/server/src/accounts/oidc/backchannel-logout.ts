import { type JWTPayload, jwtVerify } from "jose";
import type { AppContext } from "../../context.ts";
import { transact } from "../../db/transact.ts";
import { fail } from "../../errors.ts";
import { endSession } from "../sessions/sessions.ts";
import * as store from "./identities.store.ts";
import { findProvider } from "./provider.ts";

const EVENT = "http://schemas.openid.net/event/backchannel-logout";
/** Asymmetric signatures only: with a symmetric one, our secret would be a signing key. */
const ALGORITHMS = "RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA Ed25519".split(" ");
const AGE_SECONDS = 300;
const TOLERANCE_SECONDS = 60;

/** The subject of a logout token: an account at the provider, one of its sessions, or both. */
interface LoggedOut {
  id: string;
  subject: string | null;
  providerSession: string | null;
}

/**
 * Ends the sessions that the provider says are over, on all nodes (OpenID Connect Back-Channel Logout 1.0). Returns how
 * many.
 * @throws invalid_logout_token (also for one that was used), oidc_disabled, oidc_failed
 */
export async function backchannelLogout(ctx: AppContext, token: string): Promise<number> {
  const { settings, keys } = await findProvider(ctx);
  const verified = await jwtVerify(token, keys, {
    issuer: issuerNames(settings.issuer),
    audience: settings.clientId,
    algorithms: ALGORITHMS,
    requiredClaims: ["iat", "jti"],
    maxTokenAge: AGE_SECONDS,
    clockTolerance: TOLERANCE_SECONDS,
    currentDate: new Date(ctx.clock.now()),
  }).catch((cause: unknown) => {
    throw refused(ctx, (cause as Error).message);
  });
  const { id, ...whom } = readClaims(ctx, verified.payload);
  return transact(ctx, async (ctx) => {
    const now = ctx.clock.now();
    const hash = Bun.SHA256.hash(`logout ${id}`, "hex");
    const over = now + 2 * (AGE_SECONDS + TOLERANCE_SECONDS) * 1000;
    if (!(await store.useOnce(ctx.db, hash, over, now))) throw refused(ctx, "it was used before");
    const sessions = await store.sessionsAtProvider(ctx.db, { issuer: settings.issuer, ...whom });
    for (const session of sessions) await endSession(ctx, session.user_id, session.id);
    return sessions.length;
  });
}

/** Settings always have a slash after a bare host; issuers may leave it out. */
const issuerNames = (issuer: string): string[] => [issuer, issuer.replace(/^(https?:\/\/[^/]+)\/$/, "$1")];

/** A token with a nonce is an ID token, which anybody who has logged in may have. */
function readClaims(ctx: AppContext, { jti, sub, sid, nonce, events }: JWTPayload): LoggedOut {
  const event = typeof events === "object" && events !== null ? (events as Record<string, unknown>)[EVENT] : undefined;
  if (typeof event !== "object" || event === null) throw refused(ctx, "it does not announce a logout");
  if (nonce !== undefined) throw refused(ctx, "it has a nonce");
  const subject = typeof sub === "string" ? sub : null;
  const providerSession = typeof sid === "string" ? sid : null;
  if (subject === null && providerSession === null) throw refused(ctx, "it names nobody");
  return { id: String(jti), subject, providerSession };
}

function refused(ctx: AppContext, reason: string) {
  ctx.log.warn({ reason }, "a logout token of the OpenID Connect provider was refused");
  return fail("invalid_logout_token");
}
