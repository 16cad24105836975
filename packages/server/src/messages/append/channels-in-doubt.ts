import { startBackgroundJob } from "../../base/background-job.ts";
import { type AppContext, perServer } from "../../context.ts";
import { publishControl } from "../../realtime/control/control.ts";
import { MAY_COMMIT_MS } from "../mentions/mentions-in-doubt.ts";

const AGAIN_MS = 1_000;

/** The channels in doubt, each with the monotonic time at which nothing can be committed any more. */
const channels = perServer((ctx) => {
  const until = new Map<number, number>();
  startBackgroundJob(ctx, AGAIN_MS, "looking after messages in doubt failed", async () => {
    const now = ctx.clock.monotonic();
    for (const [channelId, end] of until) {
      publishControl(ctx, "events_in_doubt", channelId);
      if (now > end) until.delete(channelId);
    }
  });
  return until;
});

/**
 * Has every node read these channels again, now and each second for as long as a statement whose connection was lost
 * may still commit.
 */
export function channelsInDoubt(ctx: AppContext, channelIds: Iterable<number>): void {
  for (const channelId of channelIds) {
    channels(ctx).set(channelId, ctx.clock.monotonic() + MAY_COMMIT_MS);
    publishControl(ctx, "events_in_doubt", channelId);
  }
}
