import type { Cluster } from "../../cluster/cluster.ts";
import type { Log } from "../../logging/log.ts";
import type { BusShardNumbers } from "../../metrics/numbers.ts";
import { ReconnectingLink } from "../../redis/reconnecting-link.ts";
import { isRefusal } from "../../redis/redis-answer.ts";
import type { RedisLink } from "../../redis/redis-link.ts";
import type { RedisShard } from "../../redis/shards.ts";
import { ShardHealth, SILENCE_MS } from "./shard-health.ts";
import { Subscriptions } from "./subscriptions.ts";

/** Publications that Redis has not confirmed; further ones are dropped. */
const FLIGHT_MAX = 10_000;
const FLIGHT_BYTES_MAX = 64 * 1024 * 1024;
/** If a tick of this node is this late, its silence says nothing about Redis. */
const LATE_MS = 2_000;

/** A doubt that ends sooner is not logged, nor is a change of its reason more often. */
const LOG_MS = 1_500;
const LOG_AGAIN_MS = 30_000;

const NO_CONNECTION = "there is no connection";

interface Options {
  shard: RedisShard;
  /** Topic of the heartbeats. */
  beatTopic: string;
  now: () => number;
  log: Pick<Log, "warn" | "info">;
  onPayload: (from: BusShard, topic: string, payload: string) => void;
  /** Called when this node can hear again, or can no longer hear. */
  onLink: (shard: BusShard) => void;
  /** Called when a doubt begins or ends. */
  onDoubt: () => void;
  onLate: (topics: readonly string[]) => void;
}

/** One Redis server as a part of the bus: a link that subscribes beside the shard's own, which publishes. */
export class BusShard implements Disposable {
  readonly shard: RedisShard;
  readonly health = new ShardHealth();
  readonly subscriptions: Subscriptions;
  isDoubtful = true;
  /** Publications that were dropped, or not confirmed before the link closed. Heartbeats tell the others. */
  lost = 0;
  readonly #numbers = { published: 0, publishedBytes: 0, received: 0, receivedBytes: 0, dropped: 0, reconnects: 0 };
  readonly #options: Options;
  readonly #subscriber: ReconnectingLink;
  #flight: { link: RedisLink | null; count: number; bytes: number } = { link: null, count: 0, bytes: 0 };
  /** When Redis last answered a heartbeat through the link. */
  #beats: { link: RedisLink | null; answeredAt: number } = { link: null, answeredAt: 0 };
  #upAt: number;
  #tickedAt: number;
  #doubtSince: number;
  #reason: string | null = NO_CONNECTION;
  /** The doubt that was logged, and when. */
  #logged: { reason: string; at: number } | null = null;

  constructor(options: Options) {
    this.#options = options;
    this.shard = options.shard;
    this.#doubtSince = this.#upAt = this.#tickedAt = options.now();
    this.subscriptions = new Subscriptions({
      handler: (topic, payload) => options.onPayload(this, topic, payload),
      now: options.now,
      onLate: options.onLate,
      onFailed: (err) => {
        options.log.warn({ err, redis: this.shard.name }, "a subscription at Redis failed");
        this.#subscriber.replace("A subscription at Redis failed.");
      },
    });
    void this.subscriptions.hold(options.beatTopic);
    let isFirst = true;
    this.#subscriber = new ReconnectingLink({
      url: options.shard.url,
      prepare: (link) => this.subscriptions.attach(link),
      onUp: () => {
        if (!isFirst) this.#numbers.reconnects++;
        isFirst = false;
        this.#linkChanged();
      },
      onDown: () => {
        this.subscriptions.detach();
        this.#linkChanged();
      },
    });
    options.shard.onUp(() => {
      this.#upAt = options.now();
      options.onLink(this);
    });
  }

  start(): Promise<void> {
    return this.#subscriber.start();
  }

  get canHear(): boolean {
    return this.#subscriber.link !== null;
  }

  /** Sends the payloads in order, or drops them: nothing waits for a lost connection. */
  publish(topic: string, payloads: readonly string[]): void {
    const { link } = this.shard;
    if (this.#flight.link !== link) this.#flight = { link, count: 0, bytes: 0 };
    const flight = this.#flight;
    for (const payload of payloads) {
      if (link === null || flight.count >= FLIGHT_MAX || flight.bytes >= FLIGHT_BYTES_MAX) {
        this.lost++;
        this.#numbers.dropped++;
        continue;
      }
      const length = Buffer.byteLength(payload);
      this.#numbers.published++;
      this.#numbers.publishedBytes += length;
      flight.count++;
      flight.bytes += length;
      link.send("PUBLISH", [topic, payload]).then(
        () => {
          flight.count--;
          flight.bytes -= length;
        },
        () => {
          this.lost++;
        },
      );
    }
  }

  /** Counts a payload that was received. */
  count(payload: string): void {
    this.#numbers.received++;
    this.#numbers.receivedBytes += Buffer.byteLength(payload);
  }

  report(): BusShardNumbers {
    const state = !this.canHear || !this.shard.isUp ? 0 : this.isDoubtful ? 1 : 2;
    const reconnects = this.#numbers.reconnects + this.shard.reconnects;
    return { redis: this.shard.name, state, ...this.#numbers, reconnects };
  }

  /** Why the server is doubtful; null: it is not. */
  get doubt(): string | null {
    return this.shard.isUp ? this.#reason : NO_CONNECTION;
  }

  /** Decides whether the server is doubtful now. */
  judge({ nodes, nodeId }: Pick<Cluster, "nodes" | "nodeId">): void {
    const now = this.#options.now();
    const reason = this.canHear ? this.health.doubt(nodes, nodeId, now) : NO_CONNECTION;
    this.#reason = reason;
    if (reason === null) this.#trust(now);
    else this.#doubt(reason, now);
  }

  /** Doubts the server for a moment, because something that was published on it is lost. */
  pulse(): void {
    if (this.isDoubtful) return;
    this.isDoubtful = true;
    this.#options.onDoubt();
    this.isDoubtful = false;
    this.#options.onDoubt();
  }

  #trust(now: number): void {
    if (!this.isDoubtful) return;
    this.isDoubtful = false;
    if (this.#logged !== null) {
      const seconds = Math.round((now - this.#doubtSince) / 100) / 10;
      this.#options.log.info({ redis: this.shard.name, seconds }, "the bus works again");
      this.#logged = null;
    }
    this.#options.onDoubt();
  }

  #doubt(reason: string, now: number): void {
    if (!this.isDoubtful) {
      this.isDoubtful = true;
      this.#doubtSince = now;
      this.#options.onDoubt();
    }
    const isNews = this.#logged === null || (this.#logged.reason !== reason && now - this.#logged.at >= LOG_AGAIN_MS);
    if (!isNews || now - this.#doubtSince < LOG_MS) return;
    this.#logged = { reason, at: now };
    this.#options.log.warn(
      { redis: this.shard.name, reason },
      "the bus is doubtful: events of other nodes are read from the database until it works",
    );
  }

  /** Publishes a heartbeat. A failure needs no handling: the nodes notice that the heartbeat is missing. */
  beat(payload: string): void {
    const { link } = this.shard;
    if (link === null) return;
    if (this.#beats.link !== link) this.#beats = { link, answeredAt: this.#options.now() };
    const beats = this.#beats;
    const answered = () => {
      beats.answeredAt = this.#options.now();
    };
    const failed = (error: unknown) => {
      if (isRefusal(error)) answered();
    };
    link.send("PUBLISH", [this.#options.beatTopic, payload]).then(answered, failed);
  }

  /**
   * Once a second: forgets topics that nobody holds, and replaces links through which the node does not hear itself or
   * gets no answers.
   */
  tick(ownId: string): void {
    const now = this.#options.now();
    const isLate = now - this.#tickedAt > LATE_MS;
    this.#tickedAt = now;
    this.subscriptions.sweep();
    if (isLate) this.#upAt = now;
    if (!this.shard.isUp) return;
    const isSilent = (heardAt: number) => now - Math.max(heardAt, this.#upAt) > SILENCE_MS;
    const isDeaf = this.canHear && isSilent(this.health.heardAt(ownId) ?? 0);
    // Others may hear this node all the same: only what Redis answers is lost.
    const isUnanswered = isSilent(this.#beats.answeredAt);
    if (isDeaf || isUnanswered) this.shard.replace("Redis does not answer through this connection.");
    if (isDeaf) this.#subscriber.replace("This node does not hear itself through the connection to Redis.");
  }

  #linkChanged(): void {
    this.#upAt = this.#options.now();
    this.health.reset();
    this.#options.onLink(this);
  }

  [Symbol.dispose](): void {
    this.#subscriber[Symbol.dispose]();
  }
}
