import type { ClaimPacketAnswer, ReadPacketAnswer, RedPacket, RedPacketClaim } from "@parley/protocol/red-packets";
import type { ParleyClient } from "@parley/sdk/client";
import type { LiveConnection } from "@parley/sdk/live";
import type { LiveEvent } from "@parley/sdk/live-types";
import { keep, readKept } from "../state/local-storage.ts";
import { Store } from "../state/store.ts";

/** A packet with its claims and, for its sender, its deposit; null until it is known. */
export type PacketView = Pick<ReadPacketAnswer, "red_packet" | "claims" | "deposit"> | null;

interface Shelf {
  view: Store<PacketView>;
  /** When it was last requested, and over which connection. */
  askedAt: number;
  connection: number;
  /** The number of requests, and the newest one answered; responses to earlier ones are stale. */
  reads: number;
  answered: number;
  /** For each request in flight, the events received meanwhile. */
  asked: Set<PacketEvent[]>;
}

type PacketEvent = Extract<LiveEvent, { event: `red_packet:${string}` }>;

/** A packet counts as current for this long: events report changes, but only in subscribed channels. */
const FRESH_MS = 20_000;

/** The red packets this page has shown, kept up to date. */
export class Packets {
  readonly #client: ParleyClient;
  readonly #known = new Map<number, Shelf>();
  #connections = 0;

  constructor(client: ParleyClient, live: LiveConnection) {
    this.#client = client;
    live.onEvent((event) => {
      if (isPacketEvent(event)) this.#take(event);
    });
    live.onState((state) => {
      if (state === "live") this.#connections += 1;
    });
  }

  view(packetId: number): Store<PacketView> {
    return this.#shelf(packetId).view;
  }

  /** Reads a packet unless it is fresh. Throws `ParleyError`. */
  async look(packetId: number): Promise<void> {
    const shelf = this.#shelf(packetId);
    const isFresh = shelf.connection === this.#connections && performance.now() - shelf.askedAt < FRESH_MS;
    if (!isFresh) await this.read(packetId);
  }

  async read(packetId: number): Promise<void> {
    const shelf = this.#shelf(packetId);
    shelf.connection = this.#connections;
    shelf.askedAt = performance.now();
    shelf.reads += 1;
    const read = shelf.reads;
    try {
      await this.#ask(packetId, this.#client.packets.get(packetId), ({ success: _, ...view }) => {
        if (read <= shelf.answered) return;
        shelf.answered = read;
        shelf.view.set(view);
      });
    } catch (error) {
      shelf.connection = -1;
      throw error;
    }
  }

  /** Claims a share and adds it to the packet. Throws `ParleyError`. */
  async claim(packetId: number): Promise<RedPacketClaim> {
    const take = (told: ClaimPacketAnswer) => this.#put(told.red_packet, [told.claim]);
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
  paidWith(packetId: number): string | null {
    return readKept(`funding.${packetId}`);
  }

  keepPaid(packetId: number, txHash: string): void {
    keep(`funding.${packetId}`, txHash);
  }

  /** Discards what is hidden from other users; called when the user changes. */
  forget(): void {
    this.#connections += 1;
    for (const shelf of this.#known.values()) {
      shelf.answered = shelf.reads;
      shelf.view.set(null);
    }
  }

  #shelf(packetId: number): Shelf {
    const known = this.#known.get(packetId);
    if (known !== undefined) return known;
    const view = new Store<PacketView>(null);
    const shelf: Shelf = { view, askedAt: 0, connection: -1, reads: 0, answered: 0, asked: new Set() };
    this.#known.set(packetId, shelf);
    return shelf;
  }

  /** Applies a response, then again the events received while waiting, because the response may be older. */
  async #ask<T>(packetId: number, answer: Promise<T>, take: (answer: T) => void): Promise<T> {
    const { asked } = this.#shelf(packetId);
    const heard: PacketEvent[] = [];
    asked.add(heard);
    try {
      const told = await answer;
      take(told);
      for (const event of heard) this.#apply(event);
      return told;
    } finally {
      asked.delete(heard);
    }
  }

  #take(event: PacketEvent): void {
    for (const heard of this.#known.get(event.data.packet_id)?.asked ?? []) heard.push(event);
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
    if (packet.funding.status === "settled") keep(`funding.${packet.packet_id}`, null);
    this.#shelf(packet.packet_id).view.change((known) => {
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

const isPacketEvent = (event: LiveEvent): event is PacketEvent => event.event.startsWith("red_packet:");
