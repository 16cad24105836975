import { addressHash } from "../../accounts/addresses/address-key.ts";
import type { AppContext } from "../../context.ts";
import * as store from "./addresses.store.ts";

const DAY_MS = 86_400_000;
/** Mails a day to an address that its user has not confirmed. */
const UNCONFIRMED_PER_DAY = 3;
/** Permanent refusals in a row after which an address gets no more. */
const REFUSALS_MAX = 3;

/** The rules by which an address may get a mail. */
export interface Asked {
  /** The address may never have agreed: at most three such mails a day, of all accounts, kinds and nodes together. */
  isLimited: boolean;
  /** The mail is also sent to an address that was refused too often, because it confirms the address again. */
  revives: boolean;
  /** An earlier try has counted. */
  isCounted: boolean;
}

/** Takes one from what an address may get, in the caller's transaction; returns why not, or null if it may. */
export async function takeAllowance(ctx: AppContext, address: string, asked: Asked): Promise<string | null> {
  const now = ctx.clock.now();
  const hash = addressHash(address);
  // Locked: of two mails at once, the second counts the first.
  const row = await store.lockAddress(ctx.db, hash, now);
  if (row.stopped_at !== null && !asked.revives) return "the address was refused three times";
  const recent = (JSON.parse(row.sent_at) as number[]).filter((at) => at > now - DAY_MS);
  if (asked.isCounted) return null;
  if (asked.isLimited && recent.length >= UNCONFIRMED_PER_DAY)
    return "three mails a day to an address that is not confirmed";
  await store.updateAddress(ctx.db, hash, { sent_at: JSON.stringify([...recent, now].slice(-UNCONFIRMED_PER_DAY)) });
  return null;
}

/** Notes that a mail server has refused an address for good, in the caller's transaction. */
export async function addRefusal(ctx: AppContext, address: string): Promise<void> {
  const now = ctx.clock.now();
  const hash = addressHash(address);
  const { refusals, stopped_at } = await store.lockAddress(ctx.db, hash, now);
  const stopped = refusals + 1 >= REFUSALS_MAX ? (stopped_at ?? now) : stopped_at;
  await store.updateAddress(ctx.db, hash, { refusals: refusals + 1, stopped_at: stopped });
}

/** Notes that an address took a mail, or was confirmed. */
export const isReachable = (ctx: AppContext, address: string): Promise<void> =>
  store.forgiveAddress(ctx.db, addressHash(address));

/** True if an address was refused too often. */
export const isStopped = async (ctx: AppContext, address: string): Promise<boolean> =>
  (await store.stoppedAt(ctx.db, addressHash(address))) !== null;
