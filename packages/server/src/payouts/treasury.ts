import type { Asset, Chain } from "../chains/chain.ts";
import { chainsOf } from "../chains/chains.ts";
import { duty } from "../cluster/duties.ts";
import { limitOf } from "../config/amounts.ts";
import { type AppContext, perServer } from "../context.ts";
import { AppError } from "../errors.ts";
import { intervalOf } from "../timing.ts";
import { countPayouts } from "./payouts.store.ts";
import { readLease } from "./send/lease.store.ts";
import { haltOf } from "./send/lease.ts";
import { nativeOf } from "./send/payout-run.ts";

const LOOK_MS = 30_000;
/** A balance older than this is read again before anything is promised on it. */
const FRESH_MS = 60_000;

/** The treasury's balance of an asset when it was last read. */
export interface Holding {
  readonly chain: Chain;
  readonly asset: Asset;
  readonly balance: bigint;
  /** True below the reserve of the settings. */
  readonly isLow: boolean;
  /** Monotonic time of the reading. */
  readonly at: number;
}

const holdings = perServer(() => new Map<string, Holding>());
const nameOf = (chain: Chain, { currency }: Asset): string => `${chain.kind}:${chain.chainId}:${currency}`;

/** Reads the balance from the chain. Logs an alarm once when it falls below the reserve. @throws chain_unavailable */
export async function readHolding(ctx: AppContext, chain: Chain, asset: Asset): Promise<Holding | null> {
  if (chain.treasury === null) return null;
  const balance = await chain.balance(asset, chain.treasury);
  const reserve = limitOf(ctx.config.payoutReserve, asset);
  const isLow = reserve !== null && balance < reserve;
  const name = nameOf(chain, asset);
  const before = holdings(ctx).get(name);
  if (isLow && before?.isLow !== true) {
    ctx.log.error({ wallet: chain.treasury, asset: name, balance: String(balance) }, "the treasury is low; refill it");
  } else if (!isLow && before?.isLow === true) {
    ctx.log.info({ asset: name, balance: String(balance) }, "the treasury is above its reserve again");
  }
  const holding = { chain, asset, balance, isLow, at: ctx.clock.monotonic() };
  holdings(ctx).set(name, holding);
  ctx.metrics.treasuryIs(name, Number(balance) / 10 ** asset.decimals, isLow);
  return holding;
}

/** Why nothing more should be promised on a chain. */
export type TreasuryProblem = "no_wallet" | "stopped" | "low_gas" | "above_cap";

/**
 * Returns why the treasury cannot pay `count` more transfers of an asset, the largest of them `largest`; null: it can.
 * Checked before a user may fund a packet. The funding brings the value itself; the treasury must have the gas. Do not
 * call it inside a transaction: it may query the chain.
 * @throws chain_unavailable
 */
export async function treasuryCanPay(
  ctx: AppContext,
  { chain, asset, largest, count }: { chain: Chain; asset: Asset; largest: bigint; count: number },
): Promise<TreasuryProblem | null> {
  if (chain.payer === null || chain.treasury === null) return "no_wallet";
  if (haltOf(ctx, await readLease(ctx.db)) !== null) return "stopped";
  const cap = limitOf(ctx.config.payoutTransferMax, asset);
  if (cap !== null && largest > cap) return "above_cap";
  const native = nativeOf(chain);
  const known = holdings(ctx).get(nameOf(chain, native));
  const isFresh = known !== undefined && ctx.clock.monotonic() - known.at < FRESH_MS;
  const holding = isFresh ? known : await readHolding(ctx, chain, native);
  if (holding === null) return "no_wallet";
  const { open } = await countPayouts(ctx.db);
  const gas = (await chain.estimateTransferFee(asset)) * BigInt(count + open);
  const reserve = limitOf(ctx.config.payoutReserve, native) ?? 0n;
  return holding.balance < reserve + gas ? "low_gas" : null;
}

/**
 * Checks balances and open payouts for metrics and alarms until the server stops. Does nothing without chains. In a
 * cluster one node does so, and the others report nothing.
 */
export function startTreasury(ctx: AppContext): void {
  let isLooking = false;
  const isOwn = duty(ctx, "check the treasury");
  const look = (): void => {
    if (!isOwn()) ctx.metrics.forgetTreasury();
    if (isLooking || !isOwn()) return;
    isLooking = true;
    lookAround(ctx)
      .catch((error: unknown) => ctx.log.warn({ err: error }, "checking the treasury failed"))
      .finally(() => {
        isLooking = false;
      });
  };
  look();
  const timer = setInterval(look, intervalOf(ctx, LOOK_MS));
  timer.unref();
  // Not a background job, because shutdown must not wait for silent chains (protocol §10). A pass writes nothing.
  ctx.onClose(() => clearInterval(timer));
}

async function lookAround(ctx: AppContext): Promise<void> {
  const { open, oldest, failed } = await countPayouts(ctx.db);
  ctx.metrics.payoutsAre({ open, oldest, failed });
  for (const chain of chainsOf(ctx).all.filter(({ payer }) => payer !== null)) {
    for (const asset of chain.assets) {
      try {
        await readHolding(ctx, chain, asset);
      } catch (error) {
        if (!(error instanceof AppError)) throw error;
        break; // the chain is unavailable: its own metrics report that
      }
    }
  }
}
