import { type AppContext, perServer } from "../context.ts";
import { BatchQueue } from "../db/batch-queue.ts";
import { transact } from "../db/transact.ts";
import { type ClaimDraft, type Claimed, writeClaims } from "./claim-batch.ts";

/** Claims on their way into the database. One that is tried again and was written after all is found, and answered. */
export const claimQueue: (ctx: AppContext) => BatchQueue<ClaimDraft, Claimed> = perServer(
  (ctx) =>
    new BatchQueue<ClaimDraft, Claimed>(ctx, {
      commit: (drafts) => transact(ctx, (ctx) => writeClaims(ctx, drafts)),
    }),
);
