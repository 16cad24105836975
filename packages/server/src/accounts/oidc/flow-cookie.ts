import { RETURN_TO_MAX } from "@parley/protocol/identities";
import { type Static, Type } from "typebox";
import { Check } from "typebox/value";
import type { Config } from "../../config/config.ts";
import { readCookie, setCookie } from "../../http/cookies.ts";

const COOKIE = "parley_oidc";
/** How long a login at the provider may take. */
export const FLOW_MS = 10 * 60_000;

const Secret = Type.String({ pattern: "^[A-Za-z0-9_-]{43}$" });

/**
 * A login that has begun, kept in the browser that began it: only there can it be completed. The cookie is not signed,
 * because whoever can set it could begin a login of their own.
 */
const Flow = Type.Object({
  state: Secret,
  nonce: Secret,
  verifier: Secret,
  returnTo: Type.String({ maxLength: RETURN_TO_MAX }),
  /** Epoch ms. */
  startedAt: Type.Integer(),
  /** The session whose user links an identity; null: a login. */
  linkSession: Type.Union([Type.Integer(), Type.Null()]),
  /** The token of the link with which the person claims an account (protocol §14.5). `linkSession` is then NO_SESSION. */
  claimToken: Type.Optional(Secret),
});
export type Flow = Static<typeof Flow>;

/** The id of no session, so that a node of the release before, which knows no claims, refuses them. */
export const NO_SESSION = 0;

/** Returns the `Set-Cookie` value of a login that begins. */
export const flowCookie = (config: Config, flow: Flow): string =>
  setCookie(config, COOKIE, Buffer.from(JSON.stringify(flow)).toString("base64url"), FLOW_MS / 1000);

/** Returns the `Set-Cookie` value that ends a login at the provider. */
export const clearedFlowCookie = (config: Config): string => setCookie(config, COOKIE, "", 0);

/** Returns the login that this browser has begun; null without one, or if it began too long ago. */
export function readFlowCookie(config: Config, cookieHeader: string | null, now: number): Flow | null {
  const text = readCookie(config, COOKIE, cookieHeader);
  if (text === null) return null;
  try {
    const flow: unknown = JSON.parse(Buffer.from(text, "base64url").toString());
    if (!Check(Flow, flow)) return null;
    return now - flow.startedAt < FLOW_MS && flow.startedAt <= now ? flow : null;
  } catch {
    return null; // not written by this server
  }
}
