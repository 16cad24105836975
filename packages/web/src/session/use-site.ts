import type { Site } from "@parley/protocol/site";
import { useEffect } from "react";
import { useStore } from "../state/store.ts";
import { useParley } from "./parley-context.ts";

/** Returns the site's settings; null until the server has answered. */
export function useSite(): Site | null {
  const { entrance } = useParley();
  useEffect(() => entrance.need(), [entrance]);
  return useStore(entrance.site);
}

/**
 * Returns whether the server has payments, red packets and wallets (`PARLEY_VALUE`); null until it has answered. A node
 * of an older release does not say so, and has them.
 */
export function useValue(): boolean | null {
  const site = useSite();
  return site === null ? null : site.value !== false;
}
