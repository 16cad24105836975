import type { Clock } from "../../clock.ts";
import type { Cluster } from "../../cluster/cluster.ts";
import type { Log } from "../../logging/log.ts";
import type { BusNumbers } from "../../metrics/numbers.ts";
import type { RedisShard, RedisShards } from "../../redis/shards.ts";
import { isEverywhere } from "../topics.ts";
import type { Broker, BrokerHandler, BrokerMessage, GapHandler } from "./broker.ts";
import { BusShard } from "./bus-shard.ts";
import { packParcels, parcelStart, unpackParcel } from "./parcel.ts";
import { UnknownNodes } from "./unknown-nodes.ts";

const BEAT_MS = 1_000;
/** A reply to a new node's first heartbeat waits this long for those of other new nodes. */
const REPLY_MS = 50;

/** How a payload of any version begins. */
const SENDER = /^\d{1,4} ([\w.-]{1,64}) /;

interface Options {
  redis: RedisShards;
  cluster: Cluster;
  log: Pick<Log, "warn" | "info">;
  clock: Pick<Clock, "monotonic">;
  /** Receives what a handler throws; the publisher never does. */
  onError: (error: unknown) => void;
}

/**
 * The broker of a cluster: publishes over Redis (docs/subsystems/cluster.md). A topic is on one of the Redis servers, a
 * topic `isEverywhere` on each. No promise of Redis or of its client is relied on: each node publishes a heartbeat on
 * each server every second, and doubts a server through which it does not hear itself and every other node.
 */
export class RedisBroker implements Broker {
  readonly #options: Options;
  readonly #shards: ReadonlyMap<RedisShard, BusShard>;
  readonly #prefix: string;
  readonly #beatTopic: string;
  readonly #unknownNodes: UnknownNodes;
  /** Topics with a local holder. */
  readonly #held = new Set<string>();
  readonly #healthHandlers: (() => void)[] = [];
  #handler: BrokerHandler = () => {};
  #gapHandler: GapHandler = () => {};
  /** This node's ids: the present one, and those it had before it was declared dead. */
  readonly #ids = new Set<string>();
  #nodeId = "";
  /** The beginning of every parcel of this node. */
  #start = "";
  #timer: Timer | undefined;
  #reply: Timer | undefined;
  #isClosed = false;

  constructor(options: Options) {
    this.#options = options;
    const { redis, cluster, clock, log } = options;
    this.#prefix = redis.prefix;
    this.#beatTopic = `${redis.prefix}beat`;
    const now = () => clock.monotonic();
    const shardOptions = {
      beatTopic: this.#beatTopic,
      now,
      log,
      onPayload: (from: BusShard, topic: string, payload: string) => this.#receive(from, topic, payload),
      onLink: (changed: BusShard) => this.#linkChanged(changed),
      onDoubt: () => this.#healthChanged(),
      onLate: (topics: readonly string[]) => {
        for (const topic of topics) this.#report(topic, null);
      },
    };
    this.#shards = new Map(redis.shards.map((shard) => [shard, new BusShard({ ...shardOptions, shard })]));
    this.#unknownNodes = new UnknownNodes({
      refresh: () => cluster.refresh(),
      isKnown: (node) => this.#isKnown(node),
      accept: (from, topic, payload) => this.#accept(from, topic, payload),
      log,
      now,
    });
    cluster.onNodes(({ joined }) => {
      // Some of what it published before it was known was dropped.
      if (joined.filter(({ id }) => this.#unknownNodes.hasDropped(id)).length > 0) this.#pulse();
    });
  }

  /** Connects. Resolves after the first attempt; while a server is away, its topics are doubtful. */
  async start(): Promise<void> {
    this.#timer = setInterval(() => this.#tick(), BEAT_MS);
    this.#timer.unref();
    await Promise.all(this.#all((shard) => shard.start()));
  }

  publish(topic: string, messages: readonly BrokerMessage[]): void {
    if (messages.length === 0 || this.#isClosed) return;
    this.#identify();
    this.#shardOf(topic).publish(this.#prefix + topic, packParcels(this.#start, messages));
    if (this.#held.has(topic)) this.#deliver(topic, messages);
  }

  publishEverywhere(topic: string, messages: readonly BrokerMessage[]): void {
    if (messages.length === 0 || this.#isClosed) return;
    this.#identify();
    const parcels = packParcels(this.#start, messages);
    this.#all((shard) => shard.publish(this.#prefix + topic, parcels));
    if (this.#held.has(topic)) this.#deliver(topic, messages);
  }

  async subscribe(topic: string): Promise<void> {
    this.#held.add(topic);
    const name = this.#prefix + topic;
    if (isEverywhere(topic)) await Promise.all(this.#all(({ subscriptions }) => subscriptions.hold(name)));
    else await this.#shardOf(topic).subscriptions.hold(name);
  }

  async unsubscribe(topic: string): Promise<void> {
    this.#held.delete(topic);
    const name = this.#prefix + topic;
    if (isEverywhere(topic)) this.#all(({ subscriptions }) => subscriptions.release(name));
    else this.#shardOf(topic).subscriptions.release(name);
  }

  onMessages(handler: BrokerHandler): void {
    this.#handler = handler;
  }

  onGap(handler: GapHandler): void {
    this.#gapHandler = handler;
  }

  onHealth(handler: () => void): void {
    this.#healthHandlers.push(handler);
  }

  isDoubtful(topic: string): boolean {
    return isEverywhere(topic)
      ? this.#all(({ isDoubtful }) => isDoubtful).includes(true)
      : this.#shardOf(topic).isDoubtful;
  }

  /** Why the bus is doubtful, for the operator; null: it is not. */
  get doubt(): string | null {
    const doubts = this.#all(({ shard, doubt }) => (doubt === null ? [] : [`Redis ${shard.name}: ${doubt}`])).flat();
    return doubts.length === 0 ? null : doubts.join("; ");
  }

  /** The state of each Redis server as a part of the bus, and publications that no known node made. */
  get numbers(): BusNumbers {
    return { shards: this.#all((shard) => shard.report()), foreign: this.#unknownNodes.dropped };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#timer);
    clearTimeout(this.#reply);
    this.#held.clear();
    for (const shard of this.#shards.values()) shard[Symbol.dispose]();
  }

  #all<T>(act: (shard: BusShard) => T): T[] {
    return [...this.#shards.values()].map(act);
  }

  #shardOf(topic: string): BusShard {
    return this.#shards.get(this.#options.redis.shardOf(topic)) as BusShard;
  }

  #identify(): void {
    const { nodeId } = this.#options.cluster;
    if (nodeId === this.#nodeId) return;
    this.#nodeId = nodeId;
    this.#ids.add(nodeId);
    this.#start = parcelStart(nodeId);
  }

  #isKnown(node: string): boolean {
    return this.#options.cluster.nodes.some(({ id }) => id === node);
  }

  /** Receives everything that Redis sends, also what another application published under a topic of Parley. */
  #receive(from: BusShard, topic: string, payload: string): void {
    if (this.#isClosed) return;
    if (payload.startsWith(this.#start)) {
      if (topic === this.#beatTopic) this.#hearBeat(from, payload);
      return;
    }
    from.count(payload);
    const node = SENDER.exec(payload)?.[1];
    if (node === undefined) this.#unknownNodes.drop("unknown");
    else if (this.#ids.has(node)) return;
    else if (!this.#isKnown(node) || this.#unknownNodes.holds(node))
      this.#unknownNodes.take(node, from, topic, payload);
    else this.#accept(from, topic, payload);
  }

  #accept(from: BusShard, topic: string, payload: string): void {
    if (topic === this.#beatTopic) {
      this.#hearBeat(from, payload);
      return;
    }
    const name = topic.slice(this.#prefix.length);
    if (!this.#held.has(name)) return;
    const parcel = unpackParcel(payload);
    if (parcel === null) {
      this.#unknownNodes.drop("unknown");
      return;
    }
    if (parcel.messages.length > 0) this.#deliver(name, parcel.messages);
    if (parcel.isStrange) this.#report(topic, null);
    else if (parcel.absent > 0) this.#report(topic, parcel.absent);
  }

  #deliver(topic: string, messages: readonly BrokerMessage[]): void {
    try {
      this.#handler(topic, messages);
    } catch (error) {
      this.#options.onError(error);
    }
  }

  /** Reports events that the bus did not carry; `name` is that of Redis. */
  #report(name: string, upTo: number | null): void {
    const topic = name.slice(this.#prefix.length);
    if (!this.#held.has(topic)) return;
    try {
      this.#gapHandler(topic, upTo);
    } catch (error) {
      this.#options.onError(error);
    }
  }

  #hearBeat(from: BusShard, payload: string): void {
    const [, node = "", lostText] = payload.split(" ");
    const lost = Number(lostText);
    const now = this.#options.clock.monotonic();
    const { isFirst, hasLost } = from.health.hear(node, Number.isInteger(lost) ? lost : 0, now);
    // A new node is not kept waiting for proof that it hears this one.
    if (isFirst && node !== this.#nodeId) {
      this.#reply ??= setTimeout(() => {
        this.#reply = undefined;
        this.#beat();
      }, REPLY_MS);
    }
    if (hasLost && node !== this.#nodeId) from.pulse();
    from.judge(this.#options.cluster);
  }

  #beat(): void {
    this.#identify();
    for (const shard of this.#shards.values()) shard.beat(`${this.#start}${shard.lost}`);
  }

  #tick(): void {
    this.#beat();
    for (const shard of this.#shards.values()) {
      shard.tick(this.#nodeId);
      shard.judge(this.#options.cluster);
    }
  }

  #linkChanged(shard: BusShard): void {
    if (this.#isClosed) return;
    this.#identify();
    shard.beat(`${this.#start}${shard.lost}`);
    shard.judge(this.#options.cluster);
  }

  #healthChanged(): void {
    for (const handler of this.#healthHandlers) {
      try {
        handler();
      } catch (error) {
        this.#options.onError(error);
      }
    }
  }

  #pulse(): void {
    for (const shard of this.#shards.values()) shard.pulse();
  }
}
