import { runOnOne } from "../cluster/duties.ts";
import type { AppContext } from "../context.ts";
import { type ErasingStep, namePattern } from "../erasure.ts";
import { forgetAnswers, sweepIdempotencyKeys } from "./idempotency.ts";

const SWEEP_MS = 60 * 60 * 1000;

/** Removes stored responses of idempotent requests, which are kept for a day. */
const eraseAnswers: ErasingStep = async (ctx, { userId, username }, { a: from }) => {
  const next = await forgetAnswers(ctx, `u${userId}`, namePattern(username), from);
  return next === null ? null : { a: next, b: 0 };
};

/** A module without the type, because module.ts imports this folder; modules.ts checks it. */
export const idempotency = {
  name: "idempotency",
  erase: { answers: eraseAnswers },
  start: (ctx: AppContext) =>
    runOnOne(ctx, "sweep idempotency keys", SWEEP_MS, "the sweep of idempotency keys failed", () =>
      sweepIdempotencyKeys(ctx),
    ),
};
