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
   * Makes a packet once, also when the answer is lost and the call repeated. With a key of one's own that holds for ever, over runs of a
   * program too: the same key and body give the same packet.
   */
  create(body: CreatePacketBody, key: string = newKey()): Promise<CreatePacketAnswer> {
    const headers = { "idempotency-key": key };
    return this.#http.json({ method: "POST", path: "/api/red-packets", body, headers, repeatable: true });
  }

  /**
   * Claims a share; again answers the same claim. On a chain the share is paid to the wallet that the caller has proven (`accounts.proveWallet`);
   * without one the call fails as `wallet_address_required`, whose details name the reason, and takes no share.
   */
  claim(packetId: number): Promise<ClaimPacketAnswer> {
    return this.#http.json({ method: "POST", path: `${packetPath(packetId)}/claim`, repeatable: true });
  }

  /** The packet with all its claims; once it is closed, with its seed. */
  get(packetId: number): Promise<ReadPacketAnswer> {
    return this.#http.json({ method: "GET", path: packetPath(packetId) });
  }

  /** Those of a channel, the newest first. */
  list(query: ListPacketsQuery): Promise<ListPacketsAnswer> {
    return this.#http.json({ method: "GET", path: "/api/red-packets", query });
  }

  /** Names the transaction that funds a packet on a chain. */
  fund(packetId: number, txHash: string): Promise<PacketAnswer> {
    const body = { tx_hash: txHash };
    return this.#http.json({ method: "POST", path: `${packetPath(packetId)}/fund`, body, repeatable: true });
  }

  /** Takes one's own packet back, as long as nobody has claimed. */
  cancel(packetId: number): Promise<PacketAnswer> {
    return this.#http.json({ method: "POST", path: `${packetPath(packetId)}/cancel`, repeatable: true });
  }
}

const packetPath = (packetId: number): string => `/api/red-packets/${packetId}`;
