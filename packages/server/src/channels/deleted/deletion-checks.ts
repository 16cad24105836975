import { type AppContext, perServer } from "../../context.ts";

/** Throws if the channel must not be deleted. Runs in the deleting transaction, under the lock of the channel's row. */
export type DeletionCheck = (ctx: AppContext, channelId: number) => Promise<void>;

/** Where the slices above register their checks when the server starts. */
export const deletionChecks: (ctx: AppContext) => Set<DeletionCheck> = perServer(() => new Set());
