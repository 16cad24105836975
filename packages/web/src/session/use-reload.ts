import type { RealtimeEvent } from "@parley/sdk";
import { useEffect } from "react";
import { useParley } from "./parley-context.ts";

/**
 * Reads a list again after each event that changes it, and when the connection is back: events may have been missed. Pass
 * the same functions for as long as it is the same list.
 */
export function useReload(reload: () => void, isChange: (event: RealtimeEvent) => boolean): void {
  const parley = useParley();
  useEffect(
    () => parley.live.onEvent((event) => void ((event.event === "session:ready" || isChange(event)) && reload())),
    [parley, reload, isChange],
  );
}
