import type { ChainRecord } from "@parley/protocol/chains";
import { useEffect } from "react";
import { useParley } from "../session/parley-context.ts";
import { useValue } from "../session/use-site.ts";
import { retryUntilDone } from "../state/retry.ts";
import { useStore } from "../state/store.ts";

const NONE: readonly ChainRecord[] = [];

/** Returns the chains of this server; null until they are loaded. */
export function useChains(): readonly ChainRecord[] | null {
  const parley = useParley();
  const value = useValue();
  useEffect(() => {
    if (value !== true) return;
    return retryUntilDone(
      () => parley.chains.read(),
      (error) => parley.showError(error),
    );
  }, [parley, value]);
  const chains = useStore(parley.chains.list);
  return value === false ? NONE : chains;
}
