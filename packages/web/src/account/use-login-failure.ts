import { useEffect } from "react";
import { useParley } from "../session/parley-context.ts";
import { useStore } from "../state/store.ts";

/** Tells of a login by the identity provider that failed: guests in the login dialog, users who link one in a notice. */
export function useLoginFailure(): void {
  const parley = useParley();
  const { state } = useStore(parley.session);
  const failure = useStore(parley.entrance.failure);
  useEffect(() => {
    if (failure === null || state === "unknown") return;
    // A reload must not repeat it.
    if (location.search !== "") history.replaceState(history.state, "", `/${location.hash}`);
    if (state === "guest") parley.loginDialog.set("login");
    else {
      parley.entrance.failure.set(null);
      parley.showError(failure.error);
    }
  }, [parley, state, failure]);
}
