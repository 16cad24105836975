import { type ChainRecord, ChainsResponse } from "@parley/protocol/chains";
import {
  ClaimPacketResponse,
  CreatePacketBody,
  CreatePacketResponse,
  FundPacketBody,
  ListPacketsQuery,
  ListPacketsResponse,
  PACKET_READ_ONLY,
  PacketParams,
  PacketResponse,
  ReadPacketResponse,
  type RedPacket,
} from "@parley/protocol/red-packets";
import { chainsOf } from "../chains/chains.ts";
import type { AppContext } from "../context.ts";
import { lastingKey } from "../http/idempotency.ts";
import { ReadyJson, type Route, route } from "../http/route.ts";
import { platformRecipient } from "../payments/offers/offers.ts";
import { claimAnswer, claimPacket } from "./claim/claims.service.ts";
import { createPacket } from "./create/create.service.ts";
import { paysPackets } from "./create/packet-assets.ts";
import { fundPacket } from "./fund/fund.service.ts";
import { cancelPacket, listPackets, readPacket } from "./packets.service.ts";

const tag = "Red packets";
const READ_ERRORS = ["session_required", "packet_not_found", "password_required", "banned"] as const;

/** Routes of red packets, and of the chains that packets and prices can use (protocol §6, §7). */
export const packetRoutes: readonly Route[] = [
  route({
    name: "listChains",
    method: "GET",
    path: "/api/chains",
    summary: "List the chains, coins and tokens that red packets and prices can use.",
    tag: "Payments",
    auth: "open",
    documentedActs: "see the service",
    answers: { 200: ChainsResponse },
    errors: [],
    handle: ({ ctx }) => ({ chains: chainList(ctx) }),
  }),
  route({
    name: "createRedPacket",
    method: "POST",
    path: "/api/red-packets",
    summary: "Create a red packet of points or coins that people in the channel can claim.",
    tag,
    auth: "session",
    documentedActs: "create packet",
    rates: [{ policy: "packetCreate", by: "identity" }],
    body: CreatePacketBody,
    readOnly: PACKET_READ_ONLY,
    invalid: {
      total_amount: "invalid_amount",
      count: "invalid_count",
      chain: "unsupported_chain",
      chain_id: "unsupported_chain",
      currency: "unsupported_chain",
      token_address: "unsupported_chain",
      tx_hash: "invalid_tx_hash",
    },
    reads: [
      {
        name: "Idempotency-Key",
        required: false,
        description: "The same key and body return the same packet, for ever, with `deduplicated: true`.",
      },
    ],
    status: 201,
    answers: { 201: CreatePacketResponse, 200: CreatePacketResponse },
    errors: [
      "idempotency_key_invalid",
      "idempotency_conflict",
      "invalid_amount",
      "invalid_count",
      "invalid_tx_hash",
      "unsupported_chain",
      "share_too_small",
      "payouts_unavailable",
      "channel_id_required",
      "channel_not_found",
      "not_a_member",
      "banned",
      "muted",
      "post_policy",
      "blocked",
      "user_blocked",
      "direct_not_allowed",
      "slow_mode",
      "insufficient_balance",
      "points_on_hold",
      "tx_already_used",
      "funding_mismatch",
      "chain_unavailable",
    ],
    async handle({ ctx, caller, body, request }) {
      const made = await createPacket(ctx, caller, body, lastingKey(request));
      return made.deduplicated === true ? new ReadyJson(JSON.stringify({ success: true, ...made }), 200) : made;
    },
  }),
  route({
    name: "listRedPackets",
    method: "GET",
    path: "/api/red-packets",
    summary: "List the red packets of a channel, newest first.",
    tag,
    auth: "guest",
    scope: "read",
    documentedActs: "read history",
    query: ListPacketsQuery,
    invalid: { channel_id: "invalid_id", before: "invalid_cursor" },
    answers: { 200: ListPacketsResponse },
    errors: [
      "session_required",
      "invalid_limit",
      "invalid_cursor",
      "channel_id_required",
      "channel_not_found",
      "password_required",
      "banned",
    ],
    handle: ({ ctx, caller, query }) => listPackets(ctx, caller, query),
  }),
  route({
    name: "getRedPacket",
    method: "GET",
    path: "/api/red-packets/:packet_id",
    summary: "Read a red packet and its claims. A closed packet includes the seed that proves the split.",
    tag,
    auth: "guest",
    scope: "read",
    documentedActs: "read history",
    params: PacketParams,
    answers: { 200: ReadPacketResponse },
    errors: READ_ERRORS,
    handle: ({ ctx, caller, params }) => readPacket(ctx, caller, params.packet_id),
  }),
  route({
    name: "claimRedPacket",
    method: "POST",
    path: "/api/red-packets/:packet_id/claim",
    summary: "Claim a share. Repeating it returns the same claim.",
    tag,
    auth: "session",
    documentedActs: "claim packet",
    rates: [{ policy: "packetClaim", by: "identity" }],
    params: PacketParams,
    answers: { 200: ClaimPacketResponse },
    errors: [
      ...READ_ERRORS,
      "not_eligible",
      "packet_empty",
      "packet_not_active",
      "packet_expired",
      "wallet_address_required",
      "chain_unavailable",
      "overloaded",
    ],
    // No `await` here and below: on the busiest path of packets each one costs.
    handle: ({ ctx, caller, params }) =>
      claimPacket(ctx, caller, params.packet_id).then((claimed) => new ReadyJson(claimAnswer(caller, claimed), 200)),
  }),
  route({
    name: "fundRedPacket",
    method: "POST",
    path: "/api/red-packets/:packet_id/fund",
    summary: "Name the transaction that funds a packet on a chain.",
    tag,
    auth: "session",
    documentedActs: "fund packet",
    rates: [{ policy: "packetCreate", by: "identity" }],
    params: PacketParams,
    body: FundPacketBody,
    invalid: { tx_hash: "invalid_tx_hash" },
    answers: { 200: PacketResponse },
    errors: [
      ...READ_ERRORS,
      "forbidden",
      "invalid_tx_hash",
      "packet_not_active",
      "tx_already_used",
      "funding_mismatch",
      "chain_unavailable",
    ],
    async handle({ ctx, caller, params, body }) {
      const red_packet = await fundPacket(ctx, caller, params.packet_id, body.tx_hash);
      return { message: fundingMessage(red_packet), packet_id: red_packet.packet_id, red_packet };
    },
  }),
  route({
    name: "cancelRedPacket",
    method: "POST",
    path: "/api/red-packets/:packet_id/cancel",
    summary: "Cancel a red packet that nobody has claimed from.",
    tag,
    auth: "session",
    documentedActs: "cancel packet",
    rates: [{ policy: "packetCreate", by: "identity" }],
    params: PacketParams,
    answers: { 200: PacketResponse },
    errors: [...READ_ERRORS, "forbidden", "packet_claimed", "packet_not_active", "packet_expired"],
    async handle({ ctx, caller, params }) {
      const red_packet = await cancelPacket(ctx, caller, params.packet_id);
      return { message: "The red packet is cancelled.", packet_id: red_packet.packet_id, red_packet };
    },
  }),
];

function fundingMessage({ funding, refund }: RedPacket): string {
  if (funding.status !== "settled") return "The server is waiting for the transaction.";
  return refund === null ? "The red packet is funded." : "The red packet is closed, and the rest is returned.";
}

/** Returns the chains and assets that forms offer. The server accepts everything listed as possible here. */
function chainList(ctx: AppContext): ChainRecord[] {
  return chainsOf(ctx).all.map((chain) => ({
    chain: chain.kind,
    chain_id: chain.chainId,
    assets: chain.assets.map(({ currency, tokenAddress, decimals }) => ({
      currency,
      token_address: tokenAddress,
      decimals,
    })),
    packets: paysPackets(ctx, chain),
    payments: platformRecipient(ctx, chain) !== null,
  }));
}
