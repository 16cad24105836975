import { type AppContext, perServer } from "../../context.ts";
import { BatchQueue } from "../../db/batch-queue.ts";
import { transact } from "../../db/transact.ts";
import { type ClaimDraft, type Claimed, writeClaims } from "./claim-batch.ts";

/** Claims waiting to be written. A retry of a claim that was written after all finds it and returns it. */
export const claimQueue: (ctx: AppContext) => BatchQueue<ClaimDraft, Claimed> = perServer(
  (ctx) =>
    new BatchQueue<ClaimDraft, Claimed>(ctx, {
      commit: (drafts) => transact(ctx, (ctx) => writeClaims(ctx, drafts)),
    }),
);
