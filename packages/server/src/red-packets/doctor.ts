import { counted } from "../base/counted.ts";
import { systemClock } from "../clock.ts";
import type { Db } from "../db/db.ts";
import { isReadable } from "../db/inspect.ts";
import { readSnapshot } from "../db/snapshot.ts";
import type { DoctorCheck } from "../module.ts";
import { findingOf } from "../points/doctor.ts";
import { claimedBetween, type PacketSums, packetsAfter } from "./audit-packets.store.ts";
import { countOpenPackets } from "./packets.store.ts";

const PAGE = 500;

/** Checks that red packets agree with the ledger (protocol §6). Skips a database of another schema. */
export const checkPackets: DoctorCheck = async ({ database }, facts) => {
  if (!isReadable(facts)) return [];
  const { packets, problems } = await readSnapshot(database, systemClock, auditPackets);
  const fine =
    packets === 0 ? "none yet" : `${packets}, and in each the claimed, returned and remaining amounts add up`;
  return [findingOf("red packets", problems, fine)];
};

/** Returns how many packets are open, as unfinished work (`Module.openWork`). */
export async function openPackets(db: Db): Promise<string[]> {
  const open = await countOpenPackets(db);
  return open === 0 ? [] : [`${counted(open, "red packet is", "red packets are")} open`];
}

/**
 * Verifies for every packet in a database that does not change meanwhile (a snapshot) that claims, refund and rest add
 * up to its amount, and that the ledger holds what is left (guarantees P11).
 */
export async function auditPackets(db: Db): Promise<{ packets: number; problems: readonly string[] }> {
  const problems: string[] = [];
  let packets = 0;
  for (let after = 0; ; ) {
    const page = await packetsAfter(db, after, PAGE);
    const last = page.at(-1)?.id ?? after;
    const claimed = Map.groupBy(await claimedBetween(db, after, last), ({ packet_id }) => packet_id);
    for (const packet of page) {
      const amounts = (claimed.get(packet.id) ?? []).map(({ amount }) => BigInt(amount));
      problems.push(...packetProblems(packet, amounts).map((text) => `packet ${packet.id} ${text}`));
    }
    packets += page.length;
    if (page.length < PAGE) return { packets, problems };
    after = last;
  }
}

function packetProblems(packet: PacketSums, claims: readonly bigint[]): string[] {
  const problems: string[] = [];
  const said = packet.count - packet.remaining_count;
  if (claims.length !== said)
    problems.push(`says that ${said} of its shares are claimed, but has ${claims.length} claims`);
  const isFunded = packet.funding_status === "settled";
  const total = isFunded ? BigInt(packet.total_amount) : 0n;
  const rest = isFunded ? BigInt(packet.remaining_amount) : 0n;
  const claimed = claims.reduce((sum, amount) => sum + amount, 0n);
  const refund = BigInt(packet.refund_amount ?? 0);
  if (claimed + refund + rest !== total)
    problems.push(`was funded with ${total}, but ${claimed} are claimed, ${refund} returned and ${rest} left`);
  if (BigInt(packet.balance ?? 0) !== rest)
    problems.push(`has ${rest} left, but the ledger holds ${packet.balance ?? 0}`);
  return problems;
}
