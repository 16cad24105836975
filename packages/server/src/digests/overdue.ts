import type { OverdueStep } from "../overdue.ts";
import { endDigestsUntil } from "./digests.store.ts";

/** Ends the digests that were due. The notifications stay in their lists. */
export const endDigests: OverdueStep = async (db, { until }) => ({
  what: "digest",
  count: await endDigestsUntil(db, until),
  examples: [],
});
