import type {
  ClaimPacketAnswer,
  CreatePacketAnswer,
  CreatePacketBody,
  ListPacketsAnswer,
  ListPacketsQuery,
  PacketAnswer,
  ReadPacketAnswer,
} from "@parley/protocol/red-packets";
import type { Http } from "./http.ts";
import { newKey } from "./keys.ts";

/** Red packets (protocol §6). Every method throws `ParleyError`. */
export class PacketCalls {
  readonly #http: Http;

  constructor(http: Http) {
    this.#http = http;
  }

  /**
   * Creates a packet once, even if the answer is lost and the call retried. A `key` of your own never expires, also
   * across runs of a program: the same key and body return the same packet.
   */
  create(body: CreatePacketBody, key: string = newKey()): Promise<CreatePacketAnswer> {
    const headers = { "idempotency-key": key };
    return this.#http.json({ method: "POST", path: "/api/red-packets", body, headers, repeatable: true });
  }

  /**
   * Claims a share; repeating it returns the same claim. On a chain the share is paid to the caller's proven wallet
   * (`accounts.proveWallet`); without one the call fails with `wallet_address_required`, whose details have the reason,
   * and takes no share.
   */
  claim(packetId: number): Promise<ClaimPacketAnswer> {
    return this.#http.json({ method: "POST", path: `${packetPath(packetId)}/claim`, repeatable: true });
  }

  /** Returns the packet with all its claims and, once it is closed, its seed. */
  get(packetId: number): Promise<ReadPacketAnswer> {
    return this.#http.json({ method: "GET", path: packetPath(packetId) });
  }

  /** Lists the packets of a channel, newest first. */
  list(query: ListPacketsQuery): Promise<ListPacketsAnswer> {
    return this.#http.json({ method: "GET", path: "/api/red-packets", query });
  }

  /** Submits the transaction that funds a packet on a chain. */
  fund(packetId: number, txHash: string): Promise<PacketAnswer> {
    const body = { tx_hash: txHash };
    return this.#http.json({ method: "POST", path: `${packetPath(packetId)}/fund`, body, repeatable: true });
  }

  /** Cancels the user's own packet, as long as nobody has claimed. */
  cancel(packetId: number): Promise<PacketAnswer> {
    return this.#http.json({ method: "POST", path: `${packetPath(packetId)}/cancel`, repeatable: true });
  }
}

const packetPath = (packetId: number): string => `/api/red-packets/${packetId}`;
