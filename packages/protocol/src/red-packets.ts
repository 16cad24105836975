import { type Static, Type } from "typebox";
import { channelRef, SlugRef } from "./channels.ts";
import { GREETING_MAX, PACKET_COUNT_MAX, PACKET_SECONDS_MAX, PACKET_SECONDS_MIN } from "./limits.ts";
import { Amount, HumanText, Id, Limit, model, Nullable, response, Timestamp } from "./values.ts";

/** How a packet is split (protocol §6). */
export const SplitType = Type.Enum(["equal", "random"]);
export type SplitType = Static<typeof SplitType>;

/** Where a packet's value is held: points are in this server's ledger (protocol §6). */
export const PacketChain = Type.Enum(["ledger", "evm", "solana"]);
export type PacketChain = Static<typeof PacketChain>;

/** The states of a packet (protocol §6). */
export const PacketStatus = Type.Enum([
  "pending_funding",
  "active",
  "exhausted",
  "expired",
  "cancelled",
  "refunding",
  "refunded",
  "failed",
]);
export type PacketStatus = Static<typeof PacketStatus>;

/** Why a packet can no longer be claimed. */
export const CloseReason = Type.Enum(["exhausted", "expired", "cancelled", "failed"]);
export type CloseReason = Static<typeof CloseReason>;

/** The state of a transfer (protocol §6). */
export const PayoutStatus = Type.Enum(["settled", "pending", "failed"]);
export type PayoutStatus = Static<typeof PayoutStatus>;

const AmountLeft = Type.String({ pattern: "^(0|[1-9][0-9]{0,77})$", description: "May be 0." });
const TxHash = Type.String({
  minLength: 1,
  maxLength: 128,
  description: "EVM: the transaction's hash; Solana: its first signature.",
});

/** A claimed share (protocol §6). */
export const RedPacketClaim = model("RedPacketClaim", "A claimed share.", {
  claim_id: Id,
  packet_id: Id,
  username: Type.String({ description: "Who claimed it." }),
  amount: Type.String({ ...Amount, description: "The share, in the smallest unit." }),
  currency: Type.String(),
  chain: PacketChain,
  address: Nullable(
    Type.String({ description: "The address that is paid on a chain; visible to the claimer and administrators." }),
  ),
  payout: Type.Object({
    status: PayoutStatus,
    tx_hash: Nullable(
      Type.String({
        description:
          "The payout's transaction; visible to the claimer and administrators, because it reveals the address.",
      }),
    ),
    gas_paid_by: Type.Literal("platform"),
  }),
  rank: Type.Integer({
    minimum: 1,
    description: "The position of the claim in order. The split assigns a share to each rank.",
  }),
  claimed_at: Timestamp,
});
export type RedPacketClaim = Static<typeof RedPacketClaim>;

/** A red packet (protocol §6). */
export const RedPacket = model("RedPacket", "A red packet as the caller sees it.", {
  packet_id: Id,
  channel_id: Id,
  message_id: Type.Integer({ ...Id, description: "The message that shows it." }),
  sender_username: Type.String({ description: "Who gave it." }),
  split_type: Type.Enum(SplitType.enum, { description: "Whether all shares are equal." }),
  chain: Type.Enum(PacketChain.enum, { description: "What pays the shares: the server's own ledger, or a chain." }),
  chain_id: Nullable(Type.Integer({ description: "Which network of that chain." })),
  currency: Type.String({ description: "`points`, or the symbol of a coin or token." }),
  token_address: Nullable(
    Type.String({ description: "The contract of the token; null: the chain's own coin, or points." }),
  ),
  decimals: Type.Integer({ minimum: 0, description: "How many digits of an amount follow the decimal point." }),
  total_amount: Type.String({ ...Amount, description: "What was given, in the smallest unit." }),
  remaining_amount: AmountLeft,
  count: Type.Integer({ minimum: 1, maximum: PACKET_COUNT_MAX, description: "How many shares it has." }),
  remaining_count: Type.Integer({ minimum: 0, description: "How many nobody has claimed." }),
  greeting: Type.String({ description: "What the sender wrote on it." }),
  status: PacketStatus,
  close_reason: Nullable(CloseReason),
  funding: Type.Object({
    tx_hash: Nullable(Type.String({ description: "Visible to the sender and administrators." })),
    status: Type.Enum(["waiting", "pending", "settled", "failed"], {
      description: "`waiting`: no transfer has been named yet. Points are settled at once.",
    }),
    problem: Nullable(Type.String({ description: "Why the named transfer does not count, as in `funding_mismatch`." })),
    gas_paid_by: Type.Literal("user"),
  }),
  refund: Nullable(
    Type.Object({
      amount: Amount,
      status: PayoutStatus,
      tx_hash: Nullable(Type.String({ description: "Visible to the sender and administrators." })),
    }),
  ),
  fairness: Type.Object({
    algorithm: Type.String({
      description: "The algorithm that derives the shares from the seed; see /guide/red-packets.",
    }),
    min_share: Amount,
    commitment: Type.String({ description: "SHA-256 of the seed and the terms of the split." }),
    seed: Nullable(Type.String({ description: "32 bytes in hex; visible once the packet is closed." })),
  }),
  my_claim: Nullable(RedPacketClaim),
  created_at: Timestamp,
  expires_at: Timestamp,
  closed_at: Nullable(Timestamp),
});
export type RedPacket = Static<typeof RedPacket>;

/** POST /api/red-packets (protocol §6). */
export const CreatePacketBody = Type.Object({
  ...channelRef,
  total_amount: Amount,
  count: Type.Integer({ minimum: 1, maximum: PACKET_COUNT_MAX }),
  split_type: Type.Optional(SplitType),
  chain: Type.Optional(PacketChain),
  chain_id: Type.Optional(Nullable(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }))),
  currency: Type.Optional(Nullable(Type.String({ minLength: 1, maxLength: 64 }))),
  token_address: Type.Optional(Nullable(Type.String({ minLength: 1, maxLength: 128 }))),
  greeting: Type.Optional(Nullable(Type.String({ maxLength: GREETING_MAX }))),
  expires_in: Type.Optional(
    Type.Integer({
      minimum: PACKET_SECONDS_MIN,
      maximum: PACKET_SECONDS_MAX,
      description:
        "Seconds during which the packet can be claimed; one day by default. On a chain the time starts when the packet is funded.",
    }),
  ),
  tx_hash: Type.Optional(Nullable(TxHash)),
});
export type CreatePacketBody = Static<typeof CreatePacketBody>;

/** Packet fields set by the server: a request with one is refused (protocol §0). */
export const PACKET_READ_ONLY = [
  "id",
  "packet_id",
  "message_id",
  "status",
  "remaining_amount",
  "remaining_count",
] as const;

/** The transfer that funds a packet on a chain. Either `reference` or the sender's own address identifies it. */
export const Deposit = model("Deposit", "The transfer that funds a packet.", {
  address: Type.String({ description: "The server's wallet." }),
  amount: Amount,
  chain_id: Type.Integer(),
  reference: Type.String({ description: "EVM: append it to the calldata. Solana: add it as an account." }),
});
export type Deposit = Static<typeof Deposit>;

/** Response of POST /api/red-packets: 201, or 200 with `deduplicated` (protocol §6). */
export const CreatePacketResponse = response({
  message: HumanText,
  packet_id: Id,
  red_packet: RedPacket,
  deposit: Type.Optional(Deposit),
  deduplicated: Type.Optional(Type.Boolean()),
});
export type CreatePacketResponse = Static<typeof CreatePacketResponse>;

/** /api/red-packets/:packet_id and below. */
export const PacketParams = Type.Object({ packet_id: Id });
export type PacketParams = Static<typeof PacketParams>;

/** POST …/fund (protocol §6). */
export const FundPacketBody = Type.Object({ tx_hash: TxHash });
export type FundPacketBody = Static<typeof FundPacketBody>;

/** Response of POST …/fund and …/cancel (protocol §6). */
export const PacketResponse = response({ message: HumanText, packet_id: Id, red_packet: RedPacket });
export type PacketResponse = Static<typeof PacketResponse>;

/** Response of POST …/claim; idempotent (protocol §6). */
export const ClaimPacketResponse = response({ message: HumanText, claim: RedPacketClaim, red_packet: RedPacket });
export type ClaimPacketResponse = Static<typeof ClaimPacketResponse>;

/**
 * Answer of GET /api/red-packets/:packet_id: with its claims by rank, and for its sender the deposit while it is
 * awaited (protocol §6).
 */
export const ReadPacketResponse = response({
  red_packet: RedPacket,
  claims: Type.Array(RedPacketClaim),
  deposit: Type.Optional(Deposit),
});
export type ReadPacketResponse = Static<typeof ReadPacketResponse>;

/** GET /api/red-packets (protocol §6). */
export const ListPacketsQuery = Type.Object({
  channel_id: Type.Optional(Type.Union([Id, Type.String({ minLength: 1 })], { description: "The id or the slug." })),
  channel_slug: Type.Optional(SlugRef),
  status: Type.Optional(PacketStatus),
  limit: Type.Optional(Limit),
  before: Type.Optional(Type.Integer({ ...Id, description: "A packet's id: the page that continues after it." })),
});
export type ListPacketsQuery = Static<typeof ListPacketsQuery>;

/** Response of GET /api/red-packets, newest first (protocol §6). */
export const ListPacketsResponse = response({
  channel_id: Id,
  red_packets: Type.Array(RedPacket),
  has_more: Type.Boolean(),
  next_before: Nullable(Id),
  limit: Type.Integer({ minimum: 1 }),
});
export type ListPacketsResponse = Static<typeof ListPacketsResponse>;
