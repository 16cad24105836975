import type { Deposit } from "@parley/protocol/red-packets";
import { chainsOf } from "../../chains/chains.ts";
import type { AppContext } from "../../context.ts";
import type { PacketRow } from "../packets.store.ts";

/** Describes the transfer that funds a packet; null if it needs none, or its chain or treasury is not configured. */
export function depositOf(ctx: AppContext, row: PacketRow): Deposit | null {
  const { chain, chain_id, reference, total_amount } = row;
  if (chain === "ledger" || chain_id === null || reference === null) return null;
  const address = chainsOf(ctx).find(chain, chain_id)?.treasury ?? null;
  return address === null ? null : { address, amount: total_amount, chain_id, reference };
}
