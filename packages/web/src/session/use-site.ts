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
