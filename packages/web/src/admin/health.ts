import type { HealthResponse } from "@parley/protocol/health";

/** An answer of the server, and when it came by this page's clock. */
export interface Health {
  answer: HealthResponse;
  at: number;
}

/** After this long, another node is shown instead of one that answers no more. */
const SILENT_MS = 30_000;

/**
 * Returns which answer to show. Behind a balancer each answer may come from another node: one node is shown until it
 * has not answered for 30 s, so that the charts do not jump.
 */
export function shownHealth(before: Health | null, now: Health): Health {
  const isOther = before !== null && before.answer.node?.id !== now.answer.node?.id;
  return isOther && now.at - before.at < SILENT_MS ? before : now;
}
