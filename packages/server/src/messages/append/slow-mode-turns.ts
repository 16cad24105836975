import type { AppContext } from "../../context.ts";
import { RedisScript } from "../../redis/shards.ts";

const TOKEN_BYTES = 12;

/** Takes the turn, or returns the milliseconds until it is free; -1: taken. */
const TAKE = new RedisScript(`
if redis.call("SET", KEYS[1], ARGV[1], "NX", "PX", ARGV[2]) then return -1 end
return redis.call("PTTL", KEYS[1])`);

/** Gives a turn back, unless somebody else has it by now. */
const GIVE_BACK = new RedisScript(`
if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end
return 0`);

/** A sender's turn on all nodes: how long to wait for it, or, with 0, what gives it back. */
export interface SharedTurn {
  waitMs: number;
  giveBack(): void;
}

const NONE: SharedTurn = { waitMs: 0, giveBack: () => {} };

/**
 * Takes a sender's turn on all nodes of the cluster, for so many milliseconds. While Redis is away, every turn is free
 * here: the node's own memory decides.
 */
export async function takeSharedTurn(ctx: AppContext, sender: string, ms: number): Promise<SharedTurn> {
  const { redis, clock } = ctx;
  if (redis === null) return NONE;
  const key = `${redis.prefix}slow ${sender}`;
  const shard = redis.shardOf(key);
  const token = Buffer.from(clock.random(TOKEN_BYTES)).toString("base64url");
  const giveBack = () => {
    // The keeper of the connection reports failures; the turn then ends by itself.
    shard.runBriefly(GIVE_BACK, [key], [token]).catch(() => {});
  };
  try {
    const waitMs = Number(await shard.runBriefly(TAKE, [key], [token, ms]));
    return waitMs < 0 ? { waitMs: 0, giveBack } : { waitMs: Math.max(1, waitMs), giveBack: () => {} };
  } catch {
    // It may still be taken, after the node stopped waiting.
    return shard.isUp ? { waitMs: 0, giveBack } : NONE;
  }
}
