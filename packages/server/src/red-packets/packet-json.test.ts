import { expect, test } from "bun:test";
import { PacketJson } from "./packet-json.ts";
import { NOBODY, packetRecord, type Viewer } from "./packet-record.ts";
import type { PacketRow } from "./packets.store.ts";

const ROW: PacketRow = {
  id: 7,
  channel_id: 1,
  message_id: 2,
  sender_id: 3,
  sender_username: "ann",
  client_key: null,
  client_hash: null,
  split_type: "equal",
  chain: "evm",
  chain_id: 1,
  currency: "ETH",
  token_address: null,
  decimals: 18,
  ledger_currency: "evm:1:ETH",
  total_amount: "10",
  remaining_amount: "4",
  count: 5,
  remaining_count: 2,
  min_share: "1",
  greeting: 'of "my_claim":null, and \\"my_claim\\":null',
  status: "active",
  close_reason: null,
  seed: "00",
  commitment: "11",
  expires_in: 60,
  reference: null,
  tx_hash: "0x5",
  funding_status: "settled",
  funding_problem: null,
  funder: "0x6",
  refund_amount: null,
  refund_status: null,
  refund_tx_hash: null,
  due_at: 5,
  created_at: 4,
  expires_at: 5,
  closed_at: null,
};

test("every viewer gets their own record, whoever was shown it before", () => {
  const shown = new PacketJson(ROW);
  const sender: Viewer = { userId: 3, seesAddresses: false };
  const administrator: Viewer = { userId: 4, seesAddresses: true };
  for (const viewer of [
    { userId: 8, seesAddresses: false },
    sender,
    { userId: 9, seesAddresses: false },
    administrator,
    NOBODY,
  ]) {
    const mine = { claim_id: viewer.userId };
    expect(JSON.parse(shown.for(viewer, JSON.stringify(mine)))).toEqual({
      ...packetRecord(ROW, viewer, null),
      my_claim: mine as never,
    });
  }
  expect(JSON.parse(shown.for(sender, "null")).funding.tx_hash).toBe("0x5");
  expect(JSON.parse(shown.for(NOBODY, "null")).funding.tx_hash).toBeNull();
});
