import { startBackgroundJob } from "../base/background-job.ts";
import type { AppContext } from "../context.ts";
import { leases } from "./leases.ts";

/**
 * Declares work that one node of the cluster does at a time. Returns a function that returns whether it is this node's
 * now; on a lone server it always is. For a moment two nodes may believe so, when one of them was paused: a duty saves
 * work and never decides what is right.
 */
export function duty(ctx: AppContext, name: string): () => boolean {
  if (ctx.cluster === null) return () => true;
  const own = leases(ctx);
  own.want(name);
  return () => own.holds(name);
}

/**
 * Runs a background job on one node of the cluster at a time: the one that holds the lease `name`. On a lone server it
 * is an ordinary background job. A node that ends passes its duties on at once; after a crash another node takes them
 * over within 17 s.
 */
export function runOnOne(
  ctx: AppContext,
  name: string,
  everyMs: number,
  complaint: string,
  pass: () => Promise<unknown>,
): void {
  const isOwn = duty(ctx, name);
  startBackgroundJob(ctx, everyMs, complaint, async () => {
    if (isOwn()) await pass();
  });
}
