import type { ClaimPacketResponse, ReadPacketResponse, RedPacket, RedPacketClaim } from "@parley/protocol/red-packets";
import type { RealtimeClient, RealtimeEvent, UserClient } from "@parley/sdk";
import { readStored, writeStored } from "../state/local-storage.ts";
import { Store } from "../state/store.ts";

/** A packet with its claims and, for its sender, its deposit; null until it is known. */
export type PacketView = Pick<ReadPacketResponse, "red_packet" | "claims" | "deposit"> | null;

interface CachedPacket {
  view: Store<PacketView>;
  /** When it was last requested, and over which connection. */
  askedAt: number;
  connection: number;
  /** The number of requests, and the newest one answered; responses to earlier ones are stale. */
  reads: number;
  answered: number;
  /** For each request in flight, the events received meanwhile. */
  inFlight: Set<PacketEvent[]>;
}

type PacketEvent = Extract<RealtimeEvent, { event: `red_packet:${string}` }>;

/** A packet counts as current for this long: events report changes, but only in subscribed channels. */
const FRESH_MS = 20_000;

/** The red packets this page has shown, kept up to date. */
export class RedPackets {
  readonly #client: UserClient;
  readonly #known = new Map<number, CachedPacket>();
  #connections = 0;

  constructor(client: UserClient, live: RealtimeClient) {
    this.#client = client;
    live.onEvent((event) => {
      if (isPacketEvent(event)) this.#take(event);
    });
    live.onState((state) => {
      if (state === "live") this.#connections += 1;
    });
  }

  view(packetId: number): Store<PacketView> {
    return this.#cached(packetId).view;
  }

  /** Reads a packet unless it is fresh. Throws `ParleyError`. */
  async ensureFresh(packetId: number): Promise<void> {
    const cached = this.#cached(packetId);
    const isFresh = cached.connection === this.#connections && performance.now() - cached.askedAt < FRESH_MS;
    if (!isFresh) await this.read(packetId);
  }

  async read(packetId: number): Promise<void> {
    const cached = this.#cached(packetId);
    cached.connection = this.#connections;
    cached.askedAt = performance.now();
    cached.reads += 1;
    const read = cached.reads;
    try {
      await this.#ask(packetId, this.#client.packets.get(packetId), ({ success: _, ...view }) => {
        if (read <= cached.answered) return;
        cached.answered = read;
        cached.view.set(view);
      });
    } catch (error) {
      cached.connection = -1;
      throw error;
    }
  }

  /** Claims a share and adds it to the packet. Throws `ParleyError`. */
  async claim(packetId: number): Promise<RedPacketClaim> {
    const take = (response: ClaimPacketResponse) => this.#put(response.red_packet, [response.claim]);
    return (await this.#ask(packetId, this.#client.packets.claim(packetId), take)).claim;
  }

  async cancel(packetId: number): Promise<void> {
    await this.#ask(packetId, this.#client.packets.cancel(packetId), ({ red_packet }) => this.#put(red_packet, []));
  }

  async fund(packetId: number, txHash: string): Promise<void> {
    const asked = this.#client.packets.fund(packetId, txHash);
    await this.#ask(packetId, asked, ({ red_packet }) => this.#put(red_packet, []));
  }

  /**
   * Returns the transaction by which this browser's wallet paid for an unfunded packet; it survives closing the page
   * before it is submitted.
   */
  storedFundingTx(packetId: number): string | null {
    return readStored(`funding.${packetId}`);
  }

  storeFundingTx(packetId: number, txHash: string): void {
    writeStored(`funding.${packetId}`, txHash);
  }

  /** Discards what is hidden from other users; called when the user changes. */
  forget(): void {
    this.#connections += 1;
    for (const cached of this.#known.values()) {
      cached.answered = cached.reads;
      cached.view.set(null);
    }
  }

  #cached(packetId: number): CachedPacket {
    const known = this.#known.get(packetId);
    if (known !== undefined) return known;
    const view = new Store<PacketView>(null);
    const cached: CachedPacket = { view, askedAt: 0, connection: -1, reads: 0, answered: 0, inFlight: new Set() };
    this.#known.set(packetId, cached);
    return cached;
  }

  /** Applies a response, then again the events received while waiting, because the response may be older. */
  async #ask<T>(packetId: number, answer: Promise<T>, take: (answer: T) => void): Promise<T> {
    const { inFlight } = this.#cached(packetId);
    const events: PacketEvent[] = [];
    inFlight.add(events);
    try {
      const response = await answer;
      take(response);
      for (const event of events) this.#apply(event);
      return response;
    } finally {
      inFlight.delete(events);
    }
  }

  #take(event: PacketEvent): void {
    for (const events of this.#known.get(event.data.packet_id)?.inFlight ?? []) events.push(event);
    this.#apply(event);
  }

  #apply(event: PacketEvent): void {
    const known = this.#known.get(event.data.packet_id)?.view.get();
    if (known == null) return;
    if (event.event === "red_packet:claimed") {
      const { claim, remaining_amount, remaining_count } = event.data;
      this.#put({ ...known.red_packet, remaining_amount, remaining_count }, [claim]);
    } else {
      const claim = event.event === "red_packet:update" ? event.data.claim : null;
      this.#put(event.data.red_packet, claim === null ? [] : [claim]);
    }
  }

  /** Broadcasts omit the user's own fields, so those are kept. A known claim stays: an older record does not remove it. */
  #put(packet: RedPacket, claims: readonly RedPacketClaim[]): void {
    if (packet.funding.status === "settled") writeStored(`funding.${packet.packet_id}`, null);
    this.#cached(packet.packet_id).view.change((known) => {
      const ranks = new Map([...(known?.claims ?? []), ...claims].map((claim) => [claim.rank, claim]));
      for (const own of [known?.red_packet.my_claim, packet.my_claim]) if (own) ranks.set(own.rank, own);
      const isOlder = known !== null && packet.remaining_count > known.red_packet.remaining_count;
      const newest = isOlder ? known.red_packet : packet;
      const my_claim = packet.my_claim ?? known?.red_packet.my_claim ?? null;
      const all = [...ranks.values()].toSorted((a, b) => a.rank - b.rank);
      const deposit = newest.status === "pending_funding" ? known?.deposit : undefined;
      return { red_packet: { ...newest, my_claim }, claims: all, ...(deposit === undefined ? {} : { deposit }) };
    });
  }
}

const isPacketEvent = (event: RealtimeEvent): event is PacketEvent => event.event.startsWith("red_packet:");
