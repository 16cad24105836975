import type { ErasingStep } from "../../erasure.ts";
import { forgetFollows } from "./follows.store.ts";

const FOLLOWS = 1_000;

/** Removes which threads the user follows. */
export const eraseFollows: ErasingStep = async (ctx, { userId }, from) =>
  (await forgetFollows(ctx.db, userId, FOLLOWS)) < FOLLOWS ? null : from;
