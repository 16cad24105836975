import type { Observed } from "../chains/chain.ts";
import type { AppContext } from "../context.ts";
import { sendersByReference } from "./references.store.ts";

/**
 * Returns whether a transaction carries the reference of a packet (`exceptOf`: of one that this user did not make).
 * Then it is for that packet, whoever presents its hash: anyone can read the hash, and write the sender's address into
 * their own profile.
 */
export async function isForPacket(
  ctx: AppContext,
  { references }: Pick<Observed, "references">,
  { exceptOf }: { exceptOf?: number | undefined } = {},
): Promise<boolean> {
  if (references.length === 0) return false;
  return (await sendersByReference(ctx.db, references)).some((sender) => sender !== exceptOf);
}
