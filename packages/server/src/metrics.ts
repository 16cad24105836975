import type { Registry } from "prom-client";
import type { Clock } from "./clock.ts";
import type { DiskSpace } from "./metrics-disk.ts";
import { Distribution } from "./metrics-distribution.ts";

const DURATIONS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 30];
const BATCHES = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512];
const LAG_INTERVAL_MS = 500;

interface RouteMeter {
  method: string;
  route: string;
  /** Requests by status. */
  statuses: Map<number, number>;
  durations: Distribution;
}

/** What is counted. */
export interface Numbers {
  readonly routes: RouteMeter[];
  readonly commits: Distribution;
  readonly batches: Distribution;
  /** Refusals by policy. */
  readonly refusals: Map<string, number>;
  messages: number;
  sockets: number;
  frames: number;
  slowReaders: number;
  hashQueue: number;
  pictureQueue: number;
  /** Asked at each scrape. */
  searchLag: () => number;
  /** Bytes of recent messages and events in memory. Asked at each scrape. */
  feedMemory: () => number;
  /** Asked at each scrape; null: the database is on no disk of ours. */
  disk: () => DiskSpace | null;
  /** File descriptors of the process; null: not counted yet, or nobody tells. */
  openFiles: { open: number; limit: number } | null;
  /** Verification codes that wait to be given out. */
  codePool: number;
  /** Failures of chains' servers, by `<server> <reason>`. */
  readonly chainFailures: Map<string, number>;
  chainDisagreements: number;
  /** Proofs of payment, by what came of them. */
  readonly payments: Map<string, number>;
  /** Of `oldest` epoch milliseconds; null: none is open. */
  payouts: { open: number; oldest: number | null; failed: number };
  /** What did not fit together when payouts, ledger and wallets were last compared. */
  payoutMismatches: number;
  /** What the treasury has, in whole units, by `<kind>:<chain id>:<currency>`. */
  readonly treasury: Map<string, { balance: number; isLow: boolean }>;
  /** Longest delay of the event loop since the last scrape, seconds. */
  lag: number;
}

/**
 * What `/metrics` tells. The counts are plain numbers, because prom-client hashes the labels on every count; it is loaded, and
 * reads the numbers, when somebody asks.
 */
export class Metrics implements Disposable {
  readonly #clock: Clock;
  readonly #lagTimer: Timer;
  readonly #numbers: Numbers = {
    routes: [],
    commits: new Distribution(DURATIONS),
    batches: new Distribution(BATCHES),
    refusals: new Map(),
    messages: 0,
    sockets: 0,
    frames: 0,
    slowReaders: 0,
    hashQueue: 0,
    pictureQueue: 0,
    searchLag: () => 0,
    feedMemory: () => 0,
    disk: () => null,
    openFiles: null,
    codePool: 0,
    chainFailures: new Map(),
    chainDisagreements: 0,
    payments: new Map(),
    payouts: { open: 0, oldest: null, failed: 0 },
    payoutMismatches: 0,
    treasury: new Map(),
    lag: 0,
  };
  #registry: Promise<Registry> | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
    let expected = clock.monotonic() + LAG_INTERVAL_MS;
    this.#lagTimer = setInterval(() => {
      const now = clock.monotonic();
      this.#numbers.lag = Math.max(this.#numbers.lag, (now - expected) / 1000);
      expected = now + LAG_INTERVAL_MS;
    }, LAG_INTERVAL_MS);
    this.#lagTimer.unref();
  }

  /** The counter of one route, to be kept by it: counting then looks nothing up but the status. */
  routeObserver(method: string, route: string): (status: number, seconds: number) => void {
    const { statuses, durations } = this.#meter(method, route);
    return (status, seconds) => {
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      durations.add(seconds);
    };
  }

  #meter(method: string, route: string): RouteMeter {
    const found = this.#numbers.routes.find((meter) => meter.method === method && meter.route === route);
    if (found !== undefined) return found;
    const made = { method, route, statuses: new Map<number, number>(), durations: new Distribution(DURATIONS) };
    this.#numbers.routes.push(made);
    return made;
  }

  /** One commit of the append queue. */
  batchCommitted(messages: number, seconds: number): void {
    this.#numbers.messages += messages;
    this.#numbers.batches.add(messages);
    this.#numbers.commits.add(seconds);
  }

  socketOpened(): void {
    this.#numbers.sockets++;
  }

  socketClosed(): void {
    this.#numbers.sockets--;
  }

  framesSent(count: number): void {
    this.#numbers.frames += count;
  }

  /** A socket was closed because its reader fell too far behind. */
  slowReaderClosed(): void {
    this.#numbers.slowReaders++;
  }

  rateLimitRefused(policy: string): void {
    this.#numbers.refusals.set(policy, (this.#numbers.refusals.get(policy) ?? 0) + 1);
  }

  /** Password hashes that wait or are under way. */
  hashQueueIs(length: number): void {
    this.#numbers.hashQueue = length;
  }

  /** Pictures that wait or are being decoded. */
  pictureQueueIs(length: number): void {
    this.#numbers.pictureQueue = length;
  }

  /** Verification codes that wait to be given out, as this node knows it. */
  codePoolIs(waiting: number): void {
    this.#numbers.codePool = waiting;
  }

  /** A call to a chain's server gave no answer to work with. */
  chainServerFailed(server: string, reason: string): void {
    const key = `${server} ${reason}`;
    this.#numbers.chainFailures.set(key, (this.#numbers.chainFailures.get(key) ?? 0) + 1);
  }

  /** Enough of a chain's servers answered, but no majority said the same. */
  chainServersDisagreed(): void {
    this.#numbers.chainDisagreements++;
  }

  /** A proof of payment was `granted`, refused with a code, or `revoked` later. */
  paymentPresented(outcome: string): void {
    this.#numbers.payments.set(outcome, (this.#numbers.payments.get(outcome) ?? 0) + 1);
  }

  payoutsAre(payouts: Numbers["payouts"]): void {
    this.#numbers.payouts = payouts;
  }

  payoutMismatchesAre(count: number): void {
    this.#numbers.payoutMismatches = count;
  }

  /** What the treasury was last seen to have of an asset, in whole units. */
  treasuryIs(asset: string, balance: number, isLow: boolean): void {
    this.#numbers.treasury.set(asset, { balance, isLow });
  }

  /** Tells at each scrape how many durable numbers the search index has not seen yet. */
  searchLagFrom(read: () => number): void {
    this.#numbers.searchLag = read;
  }

  /** Tells at each scrape how many bytes channels keep in memory. */
  feedMemoryFrom(read: () => number): void {
    this.#numbers.feedMemory = read;
  }

  /** Tells at each scrape how much room the database has. */
  diskFrom(read: () => DiskSpace): void {
    this.#numbers.disk = read;
  }

  openFilesAre(files: { open: number; limit: number }): void {
    this.#numbers.openFiles = files;
  }

  /** All of it in Prometheus' text format. */
  async render(): Promise<string> {
    this.#registry ??= this.#load();
    return (await this.#registry).metrics();
  }

  async #load(): Promise<Registry> {
    try {
      const { createRegistry } = await import("./metrics-registry.ts");
      return createRegistry(this.#numbers, this.#clock);
    } catch (error) {
      this.#registry = undefined; // out of file descriptors, say: the next scrape tries again
      throw error;
    }
  }

  [Symbol.dispose](): void {
    clearInterval(this.#lagTimer);
  }
}
