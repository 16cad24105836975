import { fail } from "../errors.ts";
import type { UserIdentity } from "../http/identity.ts";

/** Throws unless the caller has this site level or a higher one (protocol §1). Errors: `forbidden`. */
export function requireLevel(caller: UserIdentity, level: 1 | 2 | 3): void {
  if ((caller.adminLevel ?? 0) < level) throw fail("forbidden");
}
