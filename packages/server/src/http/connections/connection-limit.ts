import { startBackgroundJob } from "../../base/background-job.ts";
import type { AppContext } from "../../context.ts";
import { limitSubject, trustedProxies } from "./address.ts";
import { PEER_BYTES, type ProcessSockets, processSockets } from "./process-sockets.ts";

const EVERY_MS = 1_000;
/** Descriptors checked before yielding to other work: about a millisecond. */
const BATCH = 1_000;
/**
 * A scan ends after this many descriptors without a connection, above the last known one: a new connection gets the
 * lowest free descriptor, and the table of a process never gets smaller. Connections can hide above such a gap if those
 * below close within a second, so each tenth scan goes to the end.
 */
const GAP = 1_000;
const WHOLE_EVERY = 10;

/** A network that has connections. */
interface Network {
  name: string;
  /** Its open connections, by the last scan. */
  count: number;
}

/**
 * Limits each network to `PARLEY_CONNECTIONS_PER_ADDRESS` open TCP connections (protocol §9). Bun does not report a
 * connection before its first request, so this scans the process's descriptors every second and shuts down the newest
 * connections above the limit. Between scans, a timeout bounds what a network can hold: silent connections end after
 * `HEAD_SECONDS`. Works on Linux.
 */
export function startConnectionLimit(ctx: AppContext, port: number): void {
  const { connectionsPerAddress, socketsPerAddress, rateLimits } = ctx.config;
  // Load tests connect from one address.
  if (rateLimits === "off") return;
  const sockets = processSockets();
  if (sockets === null) {
    ctx.log.warn("open connections cannot be counted on this system; let a proxy in front of Parley limit them");
    return;
  }
  // An operator who allows more WebSockets per address means their TCP connections too.
  const limit = Math.max(connectionsPerAddress, socketsPerAddress);
  const table = new ConnectionTable(sockets, port, trustedProxies(ctx.config));
  startBackgroundJob(ctx, EVERY_MS, "counting open connections failed", async () => {
    const closed = await table.enforce(limit);
    if (closed > 0) ctx.log.warn({ closed, limit }, "connections above the limit of their network were closed");
  });
}

/**
 * The server's connections, in columns by descriptor: there are many, so a connection takes 40 bytes, and a scan, which
 * runs every second, makes no text or object for it.
 */
export class ConnectionTable {
  readonly #sockets: ProcessSockets;
  readonly #port: number;
  readonly #isProxy: (address: string) => boolean;
  readonly #networks = new Map<string, Network>();
  /** Connections from trusted proxies, which are not limited. */
  readonly #proxies: Network = { name: "", count: 0 };
  /** The network of each descriptor; null if it is no connection to this server. */
  readonly #networkOf: (Network | null)[] = [];
  /** Who is at the other end, `PEER_BYTES` each: tells one connection of a descriptor from the next. */
  #peers = new Uint8Array(0);
  /** The larger number is the newer connection. */
  #ages = new Float64Array(0);
  #age = 0;
  /** The highest descriptor of a connection, also of an outgoing one, in this scan or before it. */
  #last = -1;
  #scans = 0;

  constructor(sockets: ProcessSockets, port: number, isProxy: (address: string) => boolean) {
    this.#sockets = sockets;
    this.#port = port;
    this.#isProxy = isProxy;
  }

  /** Shuts down the newest connections of each network that has more than `limit`. Returns how many. */
  async enforce(limit: number): Promise<number> {
    const end = await this.#sockets.descriptorEnd();
    this.#growTo(end);
    await this.#scan(end);
    const crowded = new Set<Network>();
    for (const network of this.#networks.values()) if (network.count > limit) crowded.add(network);
    return crowded.size === 0 ? 0 : await this.#cut(crowded, limit);
  }

  async #scan(end: number): Promise<void> {
    const gap = this.#scans++ % WHOLE_EVERY === 0 ? end : GAP;
    const known = this.#last;
    this.#last = -1;
    await inTurns(end, (descriptor) => {
      this.#look(descriptor);
      return descriptor > Math.max(known, this.#last) + gap;
    });
  }

  async #cut(crowded: ReadonlySet<Network>, limit: number): Promise<number> {
    const descriptors: number[] = [];
    this.#networkOf.forEach((network, descriptor) => {
      if (network !== null && crowded.has(network)) descriptors.push(descriptor);
    });
    descriptors.sort((a, b) => (this.#ages[a] ?? 0) - (this.#ages[b] ?? 0));
    const counts = new Map<Network, number>();
    let closed = 0;
    await inTurns(descriptors.length, (at) => {
      const descriptor = descriptors[at] ?? -1;
      // The descriptor may belong to another connection by now.
      const network = this.#look(descriptor);
      if (network === null || !crowded.has(network)) return false;
      const count = (counts.get(network) ?? 0) + 1;
      counts.set(network, count);
      if (count <= limit) return false;
      this.#sockets.shutDown(descriptor);
      closed += 1;
      return false;
    });
    return closed;
  }

  /** Returns the network of a descriptor's connection, or null if it is not one to this server. */
  #look(descriptor: number): Network | null {
    const known = this.#networkOf[descriptor] ?? null;
    const peer = this.#sockets.peerOf(descriptor);
    if (peer !== null) this.#last = Math.max(this.#last, descriptor);
    if (known !== null && peer !== null && this.#isKnown(descriptor, peer)) return known;
    if (known !== null) this.#forget(descriptor, known);
    return peer === null ? null : this.#add(descriptor, peer);
  }

  #isKnown(descriptor: number, peer: Uint8Array): boolean {
    const from = descriptor * PEER_BYTES;
    for (let at = 0; at < PEER_BYTES; at += 1) if (peer[at] !== this.#peers[from + at]) return false;
    return true;
  }

  #add(descriptor: number, peer: Uint8Array): Network | null {
    this.#peers.set(peer, descriptor * PEER_BYTES);
    const address = this.#sockets.addressIn(peer);
    if (this.#sockets.localPort(descriptor) !== this.#port) return null;
    const network = this.#isProxy(address) ? this.#proxies : this.#networkNamed(limitSubject(address));
    network.count += 1;
    this.#networkOf[descriptor] = network;
    this.#ages[descriptor] = ++this.#age;
    return network;
  }

  #forget(descriptor: number, network: Network): void {
    this.#networkOf[descriptor] = null;
    network.count -= 1;
    if (network.count === 0) this.#networks.delete(network.name);
  }

  #networkNamed(name: string): Network {
    const known = this.#networks.get(name);
    if (known !== undefined) return known;
    const network = { name, count: 0 };
    this.#networks.set(name, network);
    return network;
  }

  #growTo(end: number): void {
    if (end <= this.#ages.length) return;
    const peers = new Uint8Array(end * PEER_BYTES);
    peers.set(this.#peers);
    this.#peers = peers;
    const ages = new Float64Array(end);
    ages.set(this.#ages);
    this.#ages = ages;
    while (this.#networkOf.length < end) this.#networkOf.push(null);
  }
}

/** Calls `act` with 0 to `end` - 1, or until it returns true. */
async function inTurns(end: number, act: (at: number) => boolean): Promise<void> {
  for (let at = 0; at < end; at += 1) {
    if (at > 0 && at % BATCH === 0) await new Promise(setImmediate);
    if (act(at)) return;
  }
}
