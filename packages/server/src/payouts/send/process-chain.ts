import { AppError } from "../../errors.ts";
import { retryAfterMs } from "../limits.ts";
import { begunPayouts, duePayouts, type PayoutRow, postpone, UNDER_WAY } from "../payouts.store.ts";
import { fillNonceGap } from "./fill-nonce-gap.ts";
import { readLease } from "./lease.store.ts";
import { haltOf, LeaseLost } from "./lease.ts";
import { Halted, type PayoutRun } from "./payout-run.ts";
import { signNumbered, submitPayout } from "./submit-payout.ts";
import { trackPayout } from "./track-payout.ts";

/** Nodes keep only about this many waiting transactions of one account. */
const UNDER_WAY_MAX = 16;
/** After this many consecutive `chain_unavailable` errors the rest waits for the next pass. */
const SILENCES_MAX = 2;

/** Advances every due payout of one chain by one step. At most 16 are under way at a time. @throws LeaseLost */
export async function processChain(run: PayoutRun): Promise<void> {
  const { ctx, chain } = run;
  const isHalted = haltOf(ctx, await readLease(ctx.db)) !== null;
  const now = ctx.clock.now();
  const due = { now, limit: UNDER_WAY_MAX };
  const each = inTurn(run);

  if (!isHalted) await each(await duePayouts(ctx.db, chain, ["numbered"], due), (payout) => signNumbered(run, payout));
  const begun = await begunPayouts(ctx.db, chain);
  const first = lowestOf(begun);
  const underWay = await duePayouts(ctx.db, chain, UNDER_WAY, due);
  await each(underWay, (payout) => trackPayout(run, payout, { isFirst: payout.id === first?.id, isHalted }));
  if (isHalted) return;

  await each(
    underWay.filter(({ id }) => id === first?.id),
    (payout) => fillNonceGap(run, payout),
  );
  // While a nonce is assigned but not signed with, no other is assigned: the first may be released.
  const left = await begunPayouts(ctx.db, chain);
  const room = left.some(({ state }) => state === "numbered") ? 0 : UNDER_WAY_MAX - left.length;
  if (room > 0)
    await each(await duePayouts(ctx.db, chain, ["queued"], { now, limit: room }), (payout) =>
      submitPayout(run, payout),
    );
}

/** Returns the payout with the lowest nonce: all others wait for it. */
const lowestOf = (rows: readonly PayoutRow[]): PayoutRow | undefined =>
  rows.filter(({ nonce }) => nonce !== null).sort((a, b) => Number(a.nonce) - Number(b.nonce))[0];

/**
 * Processes payouts one after the other. A failure does not block the others, but the pass ends after several chain
 * outages in a row.
 */
function inTurn(run: PayoutRun) {
  let silences = 0;
  return async (rows: readonly PayoutRow[], act: (payout: PayoutRow) => Promise<void>): Promise<void> => {
    for (const payout of rows) {
      if (silences >= SILENCES_MAX || run.stopping.aborted) return;
      try {
        await act(payout);
        silences = 0;
      } catch (error) {
        if (error instanceof Halted) return;
        if (error instanceof LeaseLost) throw error;
        if (error instanceof AppError && error.code === "chain_unavailable") silences += 1;
        else run.ctx.log.error({ err: error, payout: payout.id }, "processing a payout failed");
        await later(run, payout);
      }
    }
  };
}

/** Postpones the payout, whatever its state is now. */
async function later({ ctx, lease }: PayoutRun, { id }: PayoutRow): Promise<void> {
  await lease.write(ctx, (ctx) => postpone(ctx.db, id, ctx.clock.now() + retryAfterMs(0)));
}
