import type { ErasingStep } from "../erasure.ts";
import { eraseMaker } from "./outgoing/hooks.store.ts";

/** Deletes the webhooks that the user made, and their name from incoming ones, which belong to the channel. */
export const eraseWebhooks: ErasingStep = async (ctx, { userId }) => {
  await eraseMaker(ctx.db, userId);
  return null;
};
