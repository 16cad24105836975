import { freeHeldNames } from "../accounts/names/held-names.ts";
import { runOnOne } from "../cluster/duties.ts";
import type { AppContext } from "../context.ts";
import { transact } from "../db/transact.ts";
import type { ErasingStep } from "../erasure.ts";
import * as store from "./setup-codes.store.ts";

const SWEEP_MS = 15_000;
const SWEEP_MAX = 500;
/** How long an expired code is remembered, so that whoever tries it learns why it is refused. */
const REMEMBERED_MS = 86_400_000;

/** Ends the agent's codes that can still be used. Call it inside the transaction that pauses the agent. */
export const endSetupCodes = (ctx: AppContext, agentId: number): Promise<void> =>
  store.endOpenCodes(ctx.db, agentId, ctx.clock.now());

/** Frees the names that codes held which have ended without an agent. Runs in the caller's transaction. */
export async function freeNames(ctx: AppContext): Promise<void> {
  await freeHeldNames(ctx.db, await store.takeEndedNames(ctx.db, ctx.clock.now(), SWEEP_MAX));
}

/** Frees names and forgets old codes, on one node, until the server closes. */
export function sweepSetupCodes(ctx: AppContext): void {
  runOnOne(ctx, "sweep setup codes", SWEEP_MS, "the sweep of setup codes failed", () =>
    transact(ctx, async (ctx) => {
      await freeNames(ctx);
      await store.forgetSetupCodes(ctx.db, ctx.clock.now() - REMEMBERED_MS, SWEEP_MAX);
    }),
  );
}

/** Removes the codes that the user made, and those for agents of the user. */
export const eraseSetupCodes: ErasingStep = async (ctx, { userId }) => {
  const now = ctx.clock.now();
  const keys = await store.forgetCodesOf(ctx.db, userId);
  for (const key of new Set(keys))
    if ((await store.holderOf(ctx.db, key, now)) === undefined) await freeHeldNames(ctx.db, [key]);
  return null;
};
