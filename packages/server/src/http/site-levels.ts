import { fail } from "../errors.ts";
import type { Identity } from "./identity.ts";

/** The site levels of users (protocol §1). Each includes the rights of the lower ones; plain users have none. */
export const MODERATOR = 1;
export const ADMINISTRATOR = 2;
export const OWNER = 3;

export type SiteLevel = typeof MODERATOR | typeof ADMINISTRATOR | typeof OWNER;

/** True if the caller has this site level or a higher one. */
export function hasLevel(caller: Identity, level: SiteLevel): boolean {
  return caller.kind === "user" && (caller.adminLevel ?? 0) >= level;
}

/** Throws unless the caller has this site level or a higher one. Errors: `forbidden`. */
export function requireLevel(caller: Identity, level: SiteLevel): void {
  if (!hasLevel(caller, level)) throw fail("forbidden");
}
