import { expect, test } from "bun:test";
import type { ReadPacketResponse, RedPacket, RedPacketClaim } from "@parley/protocol/red-packets";
import type { ParleyClient, RealtimeClient, RealtimeEvent } from "@parley/sdk";
import { RedPackets } from "../../src/model/red-packets.ts";

type Payout = RedPacketClaim["payout"];
const QUEUED: Payout = { status: "pending", tx_hash: null, gas_paid_by: "platform" };
const SENT: Payout = { ...QUEUED, tx_hash: "0xabc" };
const PAID: Payout = { ...SENT, status: "settled" };
const PAID_TO_ANOTHER: Payout = { ...QUEUED, status: "settled" };

const claim = (payout: Payout) => ({ claim_id: 1, packet_id: 7, username: "bob", rank: 1, payout }) as RedPacketClaim;
const packet = (mine: Payout | null): RedPacket =>
  ({
    packet_id: 7,
    status: "active",
    remaining_count: 1,
    funding: { status: "settled" },
    my_claim: mine && claim(mine),
  }) as RedPacket;
const update = (payout: Payout): RealtimeEvent => ({
  event: "red_packet:update",
  data: { channel_id: 1, seq: 5, packet_id: 7, red_packet: packet(null), claim: claim(payout) },
});
const own = (payout: Payout): RealtimeEvent => ({
  event: "red_packet:own",
  data: { channel_id: 1, packet_id: 7, red_packet: packet(payout) },
});

/** The page's packets, with a server whose responses and events the test sends. */
function shown() {
  let hear: (event: RealtimeEvent) => void = () => {};
  const answers: ((answer: ReadPacketResponse) => void)[] = [];
  const get = () => new Promise<ReadPacketResponse>((resolve) => void answers.push(resolve));
  const live = { onEvent: (listener: typeof hear) => (hear = listener), onState: () => {} };
  const packets = new RedPackets({ packets: { get } } as unknown as ParleyClient, live as unknown as RealtimeClient);
  return {
    packets,
    hear: (event: RealtimeEvent) => hear(event),
    /** Answers the oldest pending request, unless another is named. */
    answer: (mine: Payout | null, payout: Payout, at = 0) =>
      answers.splice(at, 1)[0]?.({ success: true, red_packet: packet(mine), claims: [claim(payout)] }),
    payouts: () => {
      const view = packets.view(7).get();
      return [view?.claims[0]?.payout, view?.red_packet.my_claim?.payout];
    },
  };
}

test("the user's own share is shown as sent, with its transaction, and as paid", async () => {
  const { packets, hear, answer, payouts } = shown();
  hear(own(SENT)); // of a packet that nothing shows
  const read = packets.read(7);
  answer(QUEUED, QUEUED);
  await read;
  for (const [event, seen] of [
    [own(SENT), SENT],
    [update(PAID_TO_ANOTHER), SENT],
    [own(PAID), PAID],
  ] as const) {
    hear(event);
    expect(payouts()).toEqual([seen, seen]);
  }
});

test("somebody else's share is shown as paid", async () => {
  const { packets, hear, answer, payouts } = shown();
  const read = packets.read(7);
  answer(null, QUEUED);
  await read;
  hear(update(PAID_TO_ANOTHER));
  expect(payouts()).toEqual([PAID_TO_ANOTHER, undefined]);
});

test("a response that is older than an event takes nothing back", async () => {
  const { packets, hear, answer, payouts } = shown();
  const first = packets.read(7);
  answer(QUEUED, QUEUED);
  await first;
  const [second, third] = [packets.read(7), packets.read(7)];
  hear(own(PAID));
  answer(QUEUED, QUEUED);
  await second;
  expect(payouts()).toEqual([PAID, PAID]);
  answer(SENT, SENT);
  await third;
  expect(payouts()).toEqual([PAID, PAID]);
});

test("a response from before a disconnect takes nothing back", async () => {
  const { packets, answer, payouts } = shown();
  const [late, newer] = [packets.read(7), packets.read(7)];
  answer(PAID, PAID, 1);
  await newer;
  answer(QUEUED, QUEUED);
  await late;
  expect(payouts()).toEqual([PAID, PAID]);
});

test("a response to a request as another user is not shown", async () => {
  const { packets, answer, payouts } = shown();
  const hers = packets.read(7);
  packets.forget();
  answer(PAID, PAID);
  await hers;
  expect(payouts()).toEqual([undefined, undefined]);
  const his = packets.read(7);
  answer(null, PAID_TO_ANOTHER);
  await his;
  expect(payouts()).toEqual([PAID_TO_ANOTHER, undefined]);
});
