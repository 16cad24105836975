import type { Registry } from "prom-client";
import type { Clock } from "../clock.ts";
import type { DiskSpace } from "./disk.ts";
import { Distribution } from "./distribution.ts";
import { HealthHistory, type HealthReading } from "./health-history.ts";
import { ControlMeter } from "./instruments.ts";
import type { BackupNumbers, BusNumbers, ClusterNumbers, MailNumbers, Numbers, RouteMeter } from "./numbers.ts";

const DURATIONS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 30];
const BATCHES = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512];
const LAG_INTERVAL_MS = 500;

/**
 * The values that `/metrics` exports. Counters are plain numbers, because prom-client hashes the labels on every count.
 * prom-client is loaded, and reads the numbers, on a scrape.
 */
export class Metrics implements Disposable {
  /** A node of a cluster counts here; on a lone server nothing does. */
  readonly control: ControlMeter;
  /** The last hour, for the charts of administrators. */
  readonly health: HealthHistory;
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
    files: { uploads: 0, bytes: 0, refused: new Map() },
    searchLag: () => 0,
    feedMemory: () => 0,
    feeds: { early: 0, gaps: 0, tails: 0 },
    disk: () => null,
    backups: () => null,
    openFiles: null,
    codePool: 0,
    chainFailures: new Map(),
    chainDisagreements: 0,
    payments: new Map(),
    payouts: { open: 0, oldest: null, failed: 0 },
    payoutMismatches: 0,
    treasury: new Map(),
    mail: () => null,
    cluster: () => null,
    bus: () => null,
    lag: 0,
  };
  #registry: Promise<Registry> | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.control = new ControlMeter(clock);
    this.health = new HealthHistory(clock, () => this.#reading());
    let expected = clock.monotonic() + LAG_INTERVAL_MS;
    this.#lagTimer = setInterval(() => {
      const now = clock.monotonic();
      const lag = (now - expected) / 1000;
      this.#numbers.lag = Math.max(this.#numbers.lag, lag);
      this.health.lagged(lag);
      expected = now + LAG_INTERVAL_MS;
    }, LAG_INTERVAL_MS);
    this.#lagTimer.unref();
  }

  /** Returns the observer of one route. The route keeps it, so that counting only looks up the status. */
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

  /** Records one commit of the append queue. */
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

  /** Counts a socket that was closed because its reader fell too far behind. */
  slowReaderClosed(): void {
    this.#numbers.slowReaders++;
  }

  /** Counts an event that a channel's feed received before its predecessors. */
  feedEventEarly(): void {
    this.#numbers.feeds.early++;
  }

  /**
   * Counts a repair: events that did not arrive were read from the database. `isTail`: no later event had arrived,
   * either.
   */
  feedRepaired(isTail: boolean): void {
    if (isTail) this.#numbers.feeds.tails++;
    else this.#numbers.feeds.gaps++;
  }

  rateLimitRefused(policy: string): void {
    this.#numbers.refusals.set(policy, (this.#numbers.refusals.get(policy) ?? 0) + 1);
  }

  /** Sets the number of waiting and running password hashes. */
  hashQueueIs(length: number): void {
    this.#numbers.hashQueue = length;
  }

  /** Sets the number of pictures that wait or are being decoded. */
  pictureQueueIs(length: number): void {
    this.#numbers.pictureQueue = length;
  }

  /** Counts a file that was uploaded and kept. */
  fileUploaded(bytes: number): void {
    this.#numbers.files.uploads++;
    this.#numbers.files.bytes += bytes;
  }

  /** Counts an upload that was refused with this error code. */
  fileRefused(code: string): void {
    const { refused } = this.#numbers.files;
    refused.set(code, (refused.get(code) ?? 0) + 1);
  }

  /** Sets the number of verification codes that are not given out yet, as this node knows it. */
  codePoolIs(waiting: number): void {
    this.#numbers.codePool = waiting;
  }

  /** Counts a call to a chain's server without a usable response. */
  chainServerFailed(server: string, reason: string): void {
    const key = `${server} ${reason}`;
    this.#numbers.chainFailures.set(key, (this.#numbers.chainFailures.get(key) ?? 0) + 1);
  }

  /** Counts a case in which enough of a chain's servers answered without a majority for one answer. */
  chainServersDisagreed(): void {
    this.#numbers.chainDisagreements++;
  }

  /** Counts a payment proof as `granted`, refused with a code, or later `revoked`. */
  paymentPresented(outcome: string): void {
    this.#numbers.payments.set(outcome, (this.#numbers.payments.get(outcome) ?? 0) + 1);
  }

  payoutsAre(payouts: Numbers["payouts"]): void {
    this.#numbers.payouts = payouts;
  }

  payoutMismatchesAre(count: number): void {
    this.#numbers.payoutMismatches = count;
  }

  /** Sets the last known treasury balance of an asset, in whole units. */
  treasuryIs(asset: string, balance: number, isLow: boolean): void {
    this.#numbers.treasury.set(asset, { balance, isLow });
  }

  /** Reports no payouts and no treasury any more: another node does. */
  forgetTreasury(): void {
    this.#numbers.treasury.clear();
    this.#numbers.payouts = { open: 0, oldest: null, failed: 0 };
  }

  /** Sets the function that returns how many sequence numbers the search index is behind. */
  searchLagFrom(read: () => number): void {
    this.#numbers.searchLag = read;
  }

  /** Sets the function that returns how many bytes channels keep in memory. */
  feedMemoryFrom(read: () => number): void {
    this.#numbers.feedMemory = read;
  }

  /** Sets the function that returns the free space of the database's disk. */
  diskFrom(read: () => DiskSpace): void {
    this.#numbers.disk = read;
  }

  /** Sets the function that returns the state of the scheduled backups. */
  backupsFrom(read: () => BackupNumbers): void {
    this.#numbers.backups = read;
  }

  /** Sets the function that returns the state of the outbox of mails. */
  mailFrom(read: () => MailNumbers): void {
    this.#numbers.mail = read;
  }

  /** Sets the function that returns the state of the cluster. */
  clusterFrom(read: () => ClusterNumbers): void {
    this.#numbers.cluster = read;
  }

  /** Sets the function that returns the state of the bus. */
  busFrom(read: () => BusNumbers): void {
    this.#numbers.bus = read;
  }

  openFilesAre(files: { open: number; limit: number }): void {
    this.#numbers.openFiles = files;
  }

  /** The node of a cluster that this process is; null: a lone server. */
  get cluster(): ClusterNumbers | null {
    return this.#numbers.cluster();
  }

  #reading(): HealthReading {
    const { messages, routes, refusals, commits, sockets } = this.#numbers;
    const { user, system } = process.cpuUsage();
    return {
      messages,
      requests: routes.reduce((sum, { durations }) => sum + durations.count, 0),
      refusals: [...refusals.values()].reduce((sum, count) => sum + count, 0),
      commits: { count: commits.count, seconds: commits.sum },
      cpuSeconds: (user + system) / 1e6,
      sockets,
      residentBytes: process.memoryUsage.rss(),
    };
  }

  /** Returns everything in Prometheus' text format. */
  async render(): Promise<string> {
    this.#registry ??= this.#load();
    return (await this.#registry).metrics();
  }

  async #load(): Promise<Registry> {
    try {
      const { createRegistry } = await import("./registry.ts");
      return createRegistry(this.#numbers, this.control, this.#clock);
    } catch (error) {
      this.#registry = undefined; // for example without file descriptors: the next scrape tries again
      throw error;
    }
  }

  [Symbol.dispose](): void {
    clearInterval(this.#lagTimer);
    this.health[Symbol.dispose]();
  }
}
