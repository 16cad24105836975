import type { ChainRecord } from "@parley/protocol/chains";
import { useEffect } from "react";
import { useParley } from "../session/parley-context.ts";
import { retryUntilDone } from "../state/retry.ts";
import { useStore } from "../state/store.ts";

/** Returns the chains of this server; null until they are loaded. */
export function useChains(): readonly ChainRecord[] | null {
  const parley = useParley();
  useEffect(
    () =>
      retryUntilDone(
        () => parley.chains.read(),
        (error) => parley.showError(error),
      ),
    [parley],
  );
  return useStore(parley.chains.list);
}
