import { startBackgroundJob } from "../../../base/background-job.ts";
import type { AppContext } from "../../../context.ts";
import type { RedisShard } from "../../../redis/shards.ts";
import { isConnectedRoom } from "./own-rooms.ts";
import { applyUpdate, nodesKey, roomKeys, roomsKey } from "./scripts.ts";
import { publishChange } from "./wire.ts";

const PASS_MS = 5_000;
/** Users taken out in one update: the server does nothing else in the meantime. */
const PART = 500;
/** How long one node alone takes another one out, unless it extends its turn. */
const TURN_MS = 10_000;
const COMMAND_MS = 1_000;

/**
 * Takes the users and guests of dead nodes out of the online lists. Every node looks, when it hears that one is gone
 * and each 5 seconds; a key in Redis decides which node does the work, so if that node dies, the work is 10 s late.
 * Repeating it is harmless.
 */
export function startPresenceReaper(ctx: AppContext): void {
  const { cluster, redis } = ctx;
  if (cluster === null || redis === null) return;
  const pass = () => reapDeadNodes(ctx);
  startBackgroundJob(ctx, PASS_MS, "taking dead nodes out of the online lists failed", pass);
  cluster.onNodes(({ gone }) => {
    if (gone.length === 0) return;
    pass().catch((err: unknown) => ctx.log.warn({ err }, "taking dead nodes out of the online lists failed"));
  });
}

/** Looks once. Rejects if a server cannot be asked; the others are looked at all the same. */
export async function reapDeadNodes(ctx: AppContext): Promise<void> {
  const shards = ctx.redis?.shards.filter((shard) => shard.isUp) ?? [];
  const done = await Promise.allSettled(shards.map((shard) => reapOn(ctx, shard)));
  for (const result of done) if (result.status === "rejected") throw result.reason;
}

async function reapOn(ctx: AppContext, shard: RedisShard): Promise<void> {
  const { cluster, redis } = ctx;
  if (cluster === null || redis === null) return;
  const found = await nodesOn(shard, nodesKey(redis.prefix));
  const isDead = (node: string) => cluster.nodeId !== node && cluster.nodes.every(({ id }) => id !== node);
  if (![...found.keys()].some(isDead)) return;
  // A node that has just come is not known here yet.
  await cluster.refresh();
  const [seconds, micros] = (await shard.send("TIME", [])) as [string, string];
  const now = Number(seconds) * 1_000 + Number(micros) / 1_000;
  for (const [node, until] of found) {
    if (!isDead(node) || until > now) continue;
    // It lives, in another cluster whose database is a copy of this one: its users would enter again at once.
    if ((await shard.send("EXISTS", [redis.aliveKey(node)])) === 1) continue;
    if (!(await takeTurn(shard, `${redis.prefix}pr:${node}`, cluster.nodeId))) continue;
    await takeOut(ctx, shard, node);
  }
}

/** Returns the nodes that have users on the server, with the time until which each is kept. */
async function nodesOn(shard: RedisShard, key: string): Promise<Map<string, number>> {
  const reply = await shard.send("HGETALL", [key]);
  const pairs = Array.isArray(reply)
    ? Array.from({ length: reply.length / 2 }, (_, n) => [String(reply[2 * n]), reply[2 * n + 1]] as const)
    : Object.entries(reply as Record<string, string>);
  return new Map(pairs.map(([node, until]) => [node, Number(until)]));
}

/** Returns whether this node may take the other one out, now and for the next 10 s. */
async function takeTurn(shard: RedisShard, key: string, own: string): Promise<boolean> {
  if ((await shard.send("SET", [key, own, "NX", "PX", TURN_MS])) !== null) return true;
  if ((await shard.send("GET", [key])) !== own) return false;
  await shard.send("PEXPIRE", [key, TURN_MS]);
  return true;
}

async function takeOut(ctx: AppContext, shard: RedisShard, node: string): Promise<void> {
  const { cluster, redis } = ctx;
  if (cluster === null || redis === null) return;
  const begun = ctx.clock.monotonic();
  const rooms = roomsKey(redis.prefix, node);
  let users = 0;
  for (;;) {
    const some = (await shard.send("SRANDMEMBER", [rooms, PART], COMMAND_MS)) as string[];
    if (some.length === 0) break;
    if (!(await takeTurn(shard, `${redis.prefix}pr:${node}`, cluster.nodeId))) return;
    for (const room of some) users += await emptyRoom(ctx, shard, node, room);
  }
  await shard.send("HDEL", [nodesKey(redis.prefix), node]);
  const ms = Math.round(ctx.clock.monotonic() - begun);
  ctx.log.info({ node, users, ms, redis: shard.name }, "a node that is gone was taken out of the online lists");
}

/** Takes the node's users and guests out of one room. Returns the number of users. */
async function emptyRoom(ctx: AppContext, shard: RedisShard, node: string, room: string): Promise<number> {
  if (ctx.redis === null) return 0;
  const keys = roomKeys(ctx.redis.prefix, room, node);
  let users = 0;
  for (;;) {
    const some = (await shard.send("SRANDMEMBER", [keys.own, PART], COMMAND_MS)) as string[];
    const applied = await applyUpdate(shard, keys, { node, room }, { joins: [], leaves: some.map(Number), guests: 0 });
    if (applied.isChange && !isConnectedRoom(room)) publishChange(ctx.broker, Number(room), applied);
    users += some.length;
    // The last update has taken the room off the node's list.
    if (some.length < PART) return users;
  }
}
