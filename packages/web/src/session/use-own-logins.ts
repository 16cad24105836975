import type { IdentitiesResponse } from "@parley/protocol/identities";
import { useEffect, useState } from "react";
import { useParley } from "./parley-context.ts";

/** How the user can log in. */
export type OwnLogins = Pick<IdentitiesResponse, "identities" | "has_password">;

/** Returns how the user can log in, once it is needed; null until the server has answered. */
export function useOwnLogins(isNeeded = true): OwnLogins | null {
  const parley = useParley();
  const [logins, setLogins] = useState<OwnLogins | null>(null);
  useEffect(() => {
    if (!isNeeded) return;
    // The password is the usual way; a wrong guess is refused by the server.
    const unknown = () => setLogins({ identities: [], has_password: true });
    parley.client.accounts.identities().then(setLogins, unknown);
  }, [parley, isNeeded]);
  return logins;
}
