import { counted } from "../base/counted.ts";
import { systemClock } from "../clock.ts";
import type { Db } from "../db/db.ts";
import { isReadable } from "../db/inspect.ts";
import { readSnapshot } from "../db/snapshot.ts";
import type { DoctorCheck } from "../module.ts";
import { findingOf } from "../points/doctor.ts";
import { auditPackets } from "./audit-packets.ts";
import { countOpenPackets } from "./packets.store.ts";

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
