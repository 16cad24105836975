import type { Config } from "../../config/config.ts";
import type { RoleLevel } from "../../config/oidc.ts";
import { fail } from "../../errors.ts";

/** Claims of an ID token or of the provider's answer about a user: names and values of any type. */
export type Claims = Readonly<Record<string, unknown>>;

/** The person who has logged in, as the provider describes them. */
export interface Person {
  /** The issuer, as in the settings. */
  issuer: string;
  /** The provider's name for the account, which never changes. */
  subject: string;
  /** A text from which a username can be made. */
  name: string;
  /** The provider's label of the account, which its owner sees. */
  label: string | null;
  /** Null unless the provider has verified it. */
  email: string | null;
  /** The site level of the roles; undefined: roles decide nothing here. */
  level: RoleLevel | null | undefined;
  /** Epoch ms at which the provider checked the person; null if it does not say. */
  authenticatedAt: number | null;
  /** The provider's own session; null if it does not say. */
  providerSession: string | null;
}

const LABEL_MAX = 100;
const SESSION_MAX = 255;

/** Returns the person of an ID token and the provider's answer about them. The token wins where both have a claim. */
export function personOf(config: Config, issuer: string, token: Claims, info: Claims): Person {
  const claims = { ...info, ...token };
  const email = verifiedEmail(token.email === undefined ? info : token);
  const label = text(claims.preferred_username) ?? text(claims.email) ?? text(claims.name);
  const sid = text(token.sid);
  return {
    issuer,
    subject: String(token.sub),
    name: text(claims.preferred_username) ?? text(claims.email) ?? text(claims.name) ?? "",
    // Without half a character at its end, which PostgreSQL could not store.
    label: label?.slice(0, LABEL_MAX).toWellFormed() ?? null,
    email,
    level:
      config.oidcRoleClaim === null ? undefined : levelOf(config.oidcRoleMap, rolesIn(claims, config.oidcRoleClaim)),
    authenticatedAt: typeof token.auth_time === "number" ? Math.floor(token.auth_time) * 1000 : null,
    providerSession: sid !== null && sid.length <= SESSION_MAX ? sid : null,
  };
}

/** True if the ID token lacks something that the provider may tell when asked. */
export function needsInfo(config: Config, token: Claims): boolean {
  const lacksRoles = config.oidcRoleClaim !== null && claimAt(token, config.oidcRoleClaim) === undefined;
  return lacksRoles || token.preferred_username === undefined || token.email === undefined;
}

/**
 * Refuses people whose email address is not in one of the allowed domains, if there are any.
 * @throws domain_not_allowed
 */
export function checkDomain({ oidcAllowedDomains: allowed }: Config, { email }: Person): void {
  if (allowed.length === 0) return;
  const domain = email?.slice(email.lastIndexOf("@") + 1).toLowerCase();
  if (domain === undefined || !allowed.includes(domain)) throw fail("domain_not_allowed");
}

/** Both claims are of the same document: an address counts only with the word of who names it. */
function verifiedEmail({ email, email_verified }: Claims): string | null {
  return typeof email === "string" && email.includes("@") && (email_verified === true || email_verified === "true")
    ? email
    : null;
}

function levelOf(map: ReadonlyMap<string, RoleLevel>, roles: readonly string[]): RoleLevel | null {
  const levels = roles.flatMap((role) => map.get(role) ?? []);
  return levels.includes(2) ? 2 : levels.includes(1) ? 1 : null;
}

function rolesIn(claims: Claims, name: string): string[] {
  const found = claimAt(claims, name);
  return (Array.isArray(found) ? found : [found]).filter((role): role is string => typeof role === "string");
}

/** Returns a claim by its name, which may contain dots (a URL), or by a path of names: `realm_access.roles`. */
function claimAt(claims: Claims, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name];
  let found: unknown = claims;
  for (const part of name.split(".")) {
    if (typeof found !== "object" || found === null || !Object.hasOwn(found, part)) return undefined;
    found = (found as Claims)[part];
  }
  return found;
}

/** Returns a text that can be stored and has something to show; null for anything else. */
function text(value: unknown): string | null {
  if (typeof value !== "string") return null;
  const clean = value
    .toWellFormed()
    .replaceAll(/\p{Cc}/gu, "")
    .trim();
  return clean === "" ? null : clean;
}
