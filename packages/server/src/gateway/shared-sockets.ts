import { SOCKETS_PER_USER } from "@parley/protocol/limits";
import { startBackgroundJob } from "../base/background-job.ts";
import type { Cluster } from "../cluster/cluster.ts";
import type { AppContext } from "../context.ts";
import { limitSubject } from "../http/connections/address.ts";
import type { MemberKey } from "../http/identity.ts";
import { RedisScript, type RedisShards } from "../redis/shards.ts";
import type { Connection } from "./connection.ts";
import type { Connections } from "./registry.ts";

/** Nodes write their counts again within this time, also for sockets that stay open. */
const AGAIN_MS = 10 * 60_000;
const KEPT_MS = 3 * AGAIN_MS;
/** Nodes write to Redis within this time that they are alive. */
const ALIVE_MS = 1_000;
const ALIVE_KEPT_MS = 2_500;
/** Counts that are written in one turn of the event loop. */
const STEP = 500;

/**
 * A key holds the sockets of a user, an agent or an address: a hash, node → count. Writes this node's count if it and those of the
 * other live nodes are within the limit. A node that Redis has not heard lately does not count: when a node is killed,
 * its clients return at once, long before its row lapses.
 */
const CLAIM = new RedisScript(`
local count = tonumber(ARGV[2])
for at = 6, #ARGV do
  local there = tonumber(redis.call("HGET", KEYS[1], ARGV[at]) or 0)
  if there > 0 and redis.call("EXISTS", ARGV[5] .. ARGV[at]) == 1 then count = count + there end
end
if count > tonumber(ARGV[3]) then return 0 end
redis.call("HSET", KEYS[1], ARGV[1], ARGV[2])
redis.call("PEXPIRE", KEYS[1], ARGV[4])
return 1`);

/** Writes this node's count, and removes nodes that are gone when there are many. */
const WRITE = new RedisScript(`
if ARGV[2] == "0" then return redis.call("HDEL", KEYS[1], ARGV[1]) end
if redis.call("HLEN", KEYS[1]) > 2 * #ARGV + 10 then
  local live = {}
  for at = 4, #ARGV do live[ARGV[at]] = true end
  for _, node in ipairs(redis.call("HKEYS", KEYS[1])) do
    if not live[node] then redis.call("HDEL", KEYS[1], node) end
  end
end
redis.call("HSET", KEYS[1], ARGV[1], ARGV[2])
return redis.call("PEXPIRE", KEYS[1], ARGV[3])`);

interface Counted {
  key: string;
  limit: number;
  /** Returns the sockets on this node. */
  count(): number;
}

/** Thrown by `SharedSockets.reserve`: the sockets of all nodes are too many. */
export class TooManySockets extends Error {}

/**
 * The sockets of users, agents and addresses on all nodes of a cluster. Each node writes its own counts into Redis, and asks for
 * the others' before a handshake. While Redis is away, each node limits its own.
 */
export class SharedSockets {
  readonly #ctx: AppContext;
  readonly #redis: RedisShards;
  readonly #cluster: Cluster;
  readonly #connections: Connections;
  /** Sockets that are admitted and not open yet, by key. */
  readonly #pending = new Map<string, number>();
  readonly #changed = new Map<string, Counted>();

  constructor(ctx: AppContext, redis: RedisShards, cluster: Cluster, connections: Connections) {
    this.#ctx = ctx;
    this.#redis = redis;
    this.#cluster = cluster;
    this.#connections = connections;
    connections.onRemoved = (connection) => this.#note(this.#countedOf(connection));
    startBackgroundJob(ctx, AGAIN_MS, "writing the counts of sockets failed", () => this.#writeAll());
    startBackgroundJob(ctx, ALIVE_MS, "telling Redis that this node is alive failed", () => this.#sayAlive());
    const again = () => void Promise.all([this.#sayAlive(), this.#writeAll()]);
    again();
    cluster.onRejoined(again);
    for (const shard of redis.shards) shard.onUp(again);
  }

  /**
   * Admits one more socket of an address, of a user or agent, or of both. Call the returned function when it is open, or will not be.
   * Rejects with `TooManySockets`.
   */
  async reserve({ address, member }: { address?: string; member?: MemberKey | null }): Promise<() => void> {
    const counted = [
      ...(address === undefined ? [] : [this.#ofAddress(address)]),
      ...(member == null ? [] : [this.#ofMember(member)]),
    ];
    for (const { key } of counted) this.#pending.set(key, (this.#pending.get(key) ?? 0) + 1);
    const release = () => {
      for (const { key } of counted) {
        const left = (this.#pending.get(key) ?? 0) - 1;
        if (left > 0) this.#pending.set(key, left);
        else this.#pending.delete(key);
      }
      this.#note(counted);
    };
    const admitted = await Promise.all(counted.map((one) => this.#claim(one)));
    if (!admitted.includes(false)) return release;
    release();
    throw new TooManySockets();
  }

  async #claim(counted: Counted): Promise<boolean> {
    const { nodeId, nodes } = this.#cluster;
    const others = nodes.map(({ id }) => id).filter((id) => id !== nodeId);
    const args = [nodeId, this.#countOf(counted), counted.limit, KEPT_MS, this.#redis.aliveKey(""), ...others];
    const answer = await this.#run(CLAIM, counted.key, args);
    return answer !== 0;
  }

  /** Writes to every server that this node is alive. A server that is away gets it when it is back. */
  async #sayAlive(): Promise<void> {
    const args = [this.#redis.aliveKey(this.#cluster.nodeId), 1, "PX", ALIVE_KEPT_MS];
    // A failure is reported where the connection is kept.
    await Promise.allSettled(this.#redis.shards.map((shard) => shard.send("SET", args)));
  }

  /** Writes counts at the end of the turn. */
  #note(counted: readonly Counted[]): void {
    if (this.#changed.size === 0) setImmediate(() => void this.#writeChanged());
    for (const one of counted) this.#changed.set(one.key, one);
  }

  async #writeChanged(): Promise<void> {
    const all = [...this.#changed.values()];
    this.#changed.clear();
    for (let at = 0; at < all.length; at += STEP) {
      await Promise.all(all.slice(at, at + STEP).map((counted) => this.#write(counted)));
    }
  }

  async #writeAll(): Promise<void> {
    for (const connection of this.#connections.all) this.#note(this.#countedOf(connection));
  }

  async #write(counted: Counted): Promise<void> {
    const { nodeId, nodes } = this.#cluster;
    await this.#run(WRITE, counted.key, [
      nodeId,
      this.#countOf(counted),
      KEPT_MS,
      nodeId,
      ...nodes.map(({ id }) => id),
    ]);
  }

  /** Runs a script; undefined if Redis is away. */
  async #run(script: RedisScript, key: string, args: readonly (string | number)[]): Promise<unknown> {
    const name = `${this.#redis.prefix}sockets ${key}`;
    try {
      return await this.#redis.shardOf(name).runBriefly(script, [name], args);
    } catch {
      return undefined; // reported where the connection is kept
    }
  }

  #countOf({ key, count }: Counted): number {
    return count() + (this.#pending.get(key) ?? 0);
  }

  #countedOf({ address, member }: Connection): readonly Counted[] {
    return member === null ? [this.#ofAddress(address)] : [this.#ofAddress(address), this.#ofMember(member)];
  }

  #ofAddress(address: string): Counted {
    const count = () => this.#connections.countOfAddress(address);
    return { key: `of ${limitSubject(address)}`, limit: this.#ctx.config.socketsPerAddress, count };
  }

  #ofMember(member: MemberKey): Counted {
    return { key: `of ${member}`, limit: SOCKETS_PER_USER, count: () => this.#connections.countOfMember(member) };
  }
}
