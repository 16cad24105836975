import type { Observed } from "../chains/chain.ts";
import type { AppContext } from "../context.ts";
import { sendersByReference } from "./references.store.ts";

/**
 * Does a transaction carry the reference of a packet (`exceptOf`: of one that this user has not made)? Then it is for that packet, whoever shows
 * its hash: everybody can read that, and write the address it came from into his profile.
 */
export async function isForPacket(
  ctx: AppContext,
  { references }: Pick<Observed, "references">,
  { exceptOf }: { exceptOf?: number | undefined } = {},
): Promise<boolean> {
  if (references.length === 0) return false;
  return (await sendersByReference(ctx.db, references)).some((sender) => sender !== exceptOf);
}
