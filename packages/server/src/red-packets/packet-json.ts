import type { ClaimRow } from "./claim/packet-claims.store.ts";
import { claimRecord, packetRecord, seesAll, type Viewer } from "./packet-record.ts";
import type { PacketRow } from "./packets.store.ts";

/** A claim with its public record. */
export interface ClaimJson {
  readonly claim: ClaimRow;
  readonly json: string;
}

export const claimJson = (packet: PacketRow, claim: ClaimRow, viewer: Viewer): string =>
  JSON.stringify(claimRecord(packet, claim, viewer));

/** Returns true if all viewers see the same record: a claim of points has no address and no transaction. */
export const isSameForAll = ({ address, payout_tx_hash }: ClaimRow): boolean =>
  address === null && payout_tx_hash === null;

const PLACE = '"my_claim":null';

/**
 * The record of a packet as JSON for many viewers: the common part is serialised once. User text cannot contain the
 * placeholder, because its quotes would be escaped.
 */
export class PacketJson {
  readonly row: PacketRow;
  #parts: readonly [before: string, after: string] | undefined;

  constructor(row: PacketRow) {
    this.row = row;
  }

  for(viewer: Viewer, myClaim: string): string {
    const [before, after] = this.#partsFor(viewer);
    return `${before}"my_claim":${myClaim}${after}`;
  }

  #partsFor(viewer: Viewer): readonly [string, string] {
    if (seesAll(this.row, viewer)) return this.#cut(viewer);
    this.#parts ??= this.#cut(viewer);
    return this.#parts;
  }

  #cut(viewer: Viewer): readonly [string, string] {
    const text = JSON.stringify(packetRecord(this.row, viewer, null));
    const at = text.indexOf(PLACE);
    return [text.slice(0, at), text.slice(at + PLACE.length)];
  }
}
