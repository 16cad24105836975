import { runOnOne } from "../cluster/duties.ts";
import type { Module } from "../module.ts";
import { sweepIdempotencyKeys } from "./idempotency.ts";

const SWEEP_MS = 60 * 60 * 1000;

export const idempotency: Module = {
  name: "idempotency",
  start: (ctx) =>
    runOnOne(ctx, "sweep idempotency keys", SWEEP_MS, "the sweep of idempotency keys failed", () =>
      sweepIdempotencyKeys(ctx),
    ),
};
