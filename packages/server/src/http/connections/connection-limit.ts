import { startBackgroundJob } from "../../base/background-job.ts";
import type { AppContext } from "../../context.ts";
import { limitSubject, trustedProxies } from "./address.ts";
import { type Peer, type ProcessSockets, processSockets } from "./process-sockets.ts";

const EVERY_MS = 1_000;
/** Connections checked before yielding to other work: about a millisecond. */
const BATCH = 1_000;

/** One connection to this server. */
interface Entry extends Peer {
  /** The network that the connection counts against; null for a trusted proxy, which is not counted. */
  network: string | null;
  /** The last scan that found it. */
  seenIn: number;
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
 * The server's connections, oldest first. A scan makes no text or object for a connection that it knows: there are
 * many, and it runs every second.
 */
export class ConnectionTable {
  readonly #sockets: ProcessSockets;
  readonly #port: number;
  readonly #isProxy: (address: string) => boolean;
  readonly #entries = new Map<number, Entry>();
  #scans = 0;

  constructor(sockets: ProcessSockets, port: number, isProxy: (address: string) => boolean) {
    this.#sockets = sockets;
    this.#port = port;
    this.#isProxy = isProxy;
  }

  /** Shuts down the newest connections of each network that has more than `limit`. Returns how many. */
  async enforce(limit: number): Promise<number> {
    this.#scans += 1;
    await inTurns(await this.#sockets.descriptors(), (descriptor) => {
      const entry = this.#look(descriptor);
      if (entry !== null) entry.seenIn = this.#scans;
    });
    for (const [descriptor, { seenIn }] of this.#entries) if (seenIn !== this.#scans) this.#entries.delete(descriptor);
    return this.#hasCrowd(limit) ? await this.#cut(limit) : 0;
  }

  /** True if a network has more than `limit` connections, by the last scan. */
  #hasCrowd(limit: number): boolean {
    if (this.#entries.size <= limit) return false;
    const counts = new Map<string, number>();
    for (const { network } of this.#entries.values()) {
      if (network === null) continue;
      const count = (counts.get(network) ?? 0) + 1;
      if (count > limit) return true;
      counts.set(network, count);
    }
    return false;
  }

  async #cut(limit: number): Promise<number> {
    const counts = new Map<string, number>();
    let closed = 0;
    await inTurns([...this.#entries.keys()], (descriptor) => {
      // The descriptor may belong to another connection by now.
      const network = this.#look(descriptor)?.network ?? null;
      if (network === null) return;
      const count = (counts.get(network) ?? 0) + 1;
      if (count <= limit) counts.set(network, count);
      else {
        this.#sockets.shutDown(descriptor);
        closed += 1;
      }
    });
    return closed;
  }

  /** Returns the connection of a descriptor, or null if it is not one to this server. */
  #look(descriptor: number): Entry | null {
    const known = this.#entries.get(descriptor);
    const peer = this.#sockets.peerOf(descriptor, known);
    if (known !== undefined && peer === known) return known;
    // A new connection moves to the end of the order, even if it reuses a descriptor.
    this.#entries.delete(descriptor);
    if (peer === null || this.#sockets.localPort(descriptor) !== this.#port) return null;
    const { address, key } = peer;
    const entry = { address, key, network: this.#isProxy(address) ? null : limitSubject(address), seenIn: this.#scans };
    this.#entries.set(descriptor, entry);
    return entry;
  }
}

async function inTurns(descriptors: readonly number[], act: (descriptor: number) => void): Promise<void> {
  for (const [at, descriptor] of descriptors.entries()) {
    if (at > 0 && at % BATCH === 0) await new Promise(setImmediate);
    act(descriptor);
  }
}
