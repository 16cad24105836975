import type {
  ClaimPacketResponse,
  CreatePacketBody,
  CreatePacketResponse,
  ListPacketsQuery,
  ListPacketsResponse,
  PacketResponse,
  ReadPacketResponse,
  RedPacket,
} from "@parley/protocol/red-packets";
import type { Http } from "../http.ts";
import { newIdempotencyKey } from "../idempotency-key.ts";
import { byId, type PagePromise } from "../page.ts";
import type { CreateOptions, RequestOptions } from "../request-options.ts";

/** Red packets (protocol §6). Every method throws `ParleyError`. */
export class RedPackets {
  readonly #http: Http;

  constructor(http: Http) {
    this.#http = http;
  }

  /**
   * Creates a packet once, even if the answer is lost and the call retried. An `idempotencyKey` of your own never expires, also
   * across runs of a program: the same key and body return the same packet.
   */
  create(body: CreatePacketBody, options: CreateOptions = {}): Promise<CreatePacketResponse> {
    const headers = { "idempotency-key": options.idempotencyKey ?? newIdempotencyKey() };
    return this.#http.json({ method: "POST", path: "/api/red-packets", body, headers, idempotent: true }, options);
  }

  /**
   * Claims a share; repeating it returns the same claim. On a chain the share is paid to the caller's proven wallet
   * (`accounts.proveWallet`); without one the call fails with `wallet_address_required`, whose details have the reason,
   * and takes no share.
   */
  claim(packetId: number, options?: RequestOptions): Promise<ClaimPacketResponse> {
    return this.#http.json({ method: "POST", path: `${packetPath(packetId)}/claim`, idempotent: true }, options);
  }

  /** Returns the packet with all its claims and, once it is closed, its seed. */
  get(packetId: number, options?: RequestOptions): Promise<ReadPacketResponse> {
    return this.#http.json({ method: "GET", path: packetPath(packetId) }, options);
  }

  /** Lists the packets of a channel, newest first. */
  list(query: ListPacketsQuery, options?: RequestOptions): PagePromise<ListPacketsResponse, RedPacket> {
    const list = { items: ({ red_packets }: ListPacketsResponse) => red_packets, next: byId };
    return this.#http.pages("/api/red-packets", query, list, options);
  }

  /** Submits the transaction that funds a packet on a chain. */
  fund(packetId: number, txHash: string, options?: RequestOptions): Promise<PacketResponse> {
    const body = { tx_hash: txHash };
    return this.#http.json({ method: "POST", path: `${packetPath(packetId)}/fund`, body, idempotent: true }, options);
  }

  /** Cancels the user's own packet, as long as nobody has claimed. */
  cancel(packetId: number, options?: RequestOptions): Promise<PacketResponse> {
    return this.#http.json({ method: "POST", path: `${packetPath(packetId)}/cancel`, idempotent: true }, options);
  }
}

const packetPath = (packetId: number): string => `/api/red-packets/${packetId}`;
