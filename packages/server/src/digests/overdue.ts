import type { OverdueStep } from "../overdue.ts";
import { endDigestsUntil } from "./digests.store.ts";

/** Ends the digests that were due: they were sent, or decided against, in the history that is undone. */
export const endDueDigests: OverdueStep = async (db, { until }) => ({
  what: "digest",
  count: await endDigestsUntil(db, until),
  examples: [],
});
