import type { OverdueStep } from "../../overdue.ts";
import { endPushesUntil } from "./queue.store.ts";

/** Ends the push messages that were due. The notifications stay in their lists. */
export const endPushes: OverdueStep = async (db, { until }) => ({
  what: "push message",
  count: await endPushesUntil(db, until),
  examples: [],
});
