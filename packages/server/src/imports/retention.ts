import { effectiveDays, keptSince } from "../channels/retention/retention.ts";
import type { AppContext } from "../context.ts";
import type { Stage } from "./stage.ts";

/**
 * Returns how many messages of a stage the server's limit of age would remove within the hour (protocol §14.4); 0 without
 * a limit.
 */
export function tooOldFor(ctx: AppContext, stage: Stage): number {
  const days = effectiveDays(ctx.config, null);
  if (days === null) return 0;
  const cutoff = keptSince(ctx.clock.now(), days);
  let [low, high] = [0, stage.size];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const [found] = stage.messagesAfter(middle, 1);
    if (found === undefined || found.at >= cutoff) high = middle;
    else low = middle + 1;
  }
  return low;
}
