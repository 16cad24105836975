import type { AppContext } from "../context.ts";

/** Draws the word of a fence: random, so that nobody knows it when writing. */
export const fenceWord = (ctx: AppContext): string => Buffer.from(ctx.clock.random(9)).toString("hex");
