import type { AppContext } from "../../context.ts";

/** Draws the random word of a fence, which nobody can predict when they write a message. */
export const fenceWord = (ctx: AppContext): string => Buffer.from(ctx.clock.random(9)).toString("hex");
