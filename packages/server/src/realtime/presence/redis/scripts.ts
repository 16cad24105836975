import { RedisScript, type RedisShard } from "../../../redis/shards.ts";
import type { PresenceEntry } from "../presence.ts";

/**
 * How long the keys of a node live without being written again. Nodes renew them every 6 h, so only keys that nobody
 * took out expire.
 */
const KEEP_SECONDS = 24 * 60 * 60;

/** The keys of one room (a channel, or a part of the connected users), all on one server. */
export interface RoomKeys {
  /** Hash: user → `<number of nodes that hold them>:<honor level>:<name>`. */
  users: string;
  /** Sorted set: users by the time since when they are online. */
  since: string;
  /** Set: the users that this node holds. */
  own: string;
  /** Hash: node → its guests; `*` → all. */
  guests: string;
  /** Counts the changes. Starts at the time in microseconds, so that it grows even if the data was lost. */
  version: string;
  /** Set: the rooms of this node. */
  rooms: string;
  /** Hash: nodes → 0, or when a node that has stopped is to be taken out (epoch ms of the server). */
  nodes: string;
}

/** Returns the keys that a node uses for a room. */
export function roomKeys(prefix: string, room: string, node: string): RoomKeys {
  const base = `${prefix}p:${room}:`;
  return {
    users: `${base}u`,
    since: `${base}s`,
    own: `${base}n:${node}`,
    guests: `${base}g`,
    version: `${base}v`,
    rooms: roomsKey(prefix, node),
    nodes: nodesKey(prefix),
  };
}

export const roomsKey = (prefix: string, node: string): string => `${prefix}pc:${node}`;
export const nodesKey = (prefix: string): string => `${prefix}pn`;

/** A node's changes of a room. */
export interface RoomUpdate {
  joins: readonly PresenceEntry[];
  /** Users that the node no longer holds. */
  leaves: readonly number[];
  /** The node's guests. */
  guests: number;
  /** Whether the room lives on for another day. */
  renews?: boolean;
}

/** A room after an update, and what the update changed for all nodes. */
export interface Applied {
  version: number;
  count: number;
  guests: number;
  joined: PresenceEntry[];
  left: PresenceEntry[];
  updated: PresenceEntry[];
  /** True if anything changed; only then the version is a new one. */
  isChange: boolean;
  /** False if the server did not know any room of this node: it lost its data, or this is the first. */
  wasKnown: boolean;
}

/**
 * Enters users into a room and takes users out. A user is listed by the first node that holds them and removed by the
 * last. Repeating it changes nothing.
 */
const APPLY = new RedisScript(`
local users, since, own, guests, version, rooms, nodes = unpack(KEYS)
local node, room, keep, held, joins = ARGV[1], ARGV[2], ARGV[3], tonumber(ARGV[4]), tonumber(ARGV[5])
local joined, left, updated = {}, {}, {}
local known = redis.call('EXISTS', rooms)
if (joins > 0 or held > 0) and redis.call('SADD', rooms, room) == 1 then
  redis.call('HSET', nodes, node, 0)
  redis.call('EXPIRE', rooms, keep)
  redis.call('EXPIRE', nodes, keep)
end
local at, entered = 7, 0
for n = 0, joins - 1 do
  local id, tail, time = ARGV[at], ARGV[at + 1], ARGV[at + 2]
  at = at + 3
  local isNew = redis.call('SADD', own, id) == 1
  if isNew then entered = entered + 1 end
  local now = redis.call('HGET', users, id)
  if not now then
    redis.call('HSET', users, id, '1:' .. tail)
    redis.call('ZADD', since, time, id)
    joined[#joined + 1] = n
  else
    local colon = string.find(now, ':', 1, true)
    local isOther = string.sub(now, colon + 1) ~= tail
    if isNew or isOther then
      local holders = tonumber(string.sub(now, 1, colon - 1))
      if isNew then holders = holders + 1 end
      redis.call('HSET', users, id, holders .. ':' .. tail)
      if isOther then updated[#updated + 1] = { id, tail, redis.call('ZSCORE', since, id) } end
    end
  end
end
for n = at, #ARGV do
  local id = ARGV[n]
  if redis.call('SREM', own, id) == 1 then
    local now = redis.call('HGET', users, id)
    local colon = now and string.find(now, ':', 1, true)
    local holders = now and tonumber(string.sub(now, 1, colon - 1)) or 0
    if holders > 1 then
      redis.call('HSET', users, id, (holders - 1) .. string.sub(now, colon))
    elseif now then
      left[#left + 1] = { id, string.sub(now, colon + 1), redis.call('ZSCORE', since, id) }
      redis.call('HDEL', users, id)
      redis.call('ZREM', since, id)
    end
  end
end
local counted = redis.call('HMGET', guests, node, '*')
local more, all = held - tonumber(counted[1] or 0), tonumber(counted[2] or 0)
if more ~= 0 then
  if held > 0 then redis.call('HSET', guests, node, held) else redis.call('HDEL', guests, node) end
  all = redis.call('HINCRBY', guests, '*', more)
end
local mine = redis.call('SCARD', own)
if held == 0 and mine == 0 then redis.call('SREM', rooms, room) end
local listed = redis.call('ZCARD', since)
local isChange = #joined + #left + #updated > 0 or more ~= 0
local number = isChange and redis.call('INCR', version) or tonumber(redis.call('GET', version) or 0)
if number == 1 then
  local time = redis.call('TIME')
  number = time[1] * 1000000 + time[2]
  redis.call('SET', version, string.format('%.0f', number))
end
-- Keys that this call may have created need an end.
local isFresh = (entered > 0 and (mine == entered or listed == #joined)) or (more ~= 0 and all == more)
local renews = ARGV[6] == '1'
if renews and (held > 0 or mine > 0) then redis.call('HSETNX', nodes, node, 0) end
if known == 0 or isFresh or renews then
  for n = 1, #KEYS do redis.call('EXPIRE', KEYS[n], keep) end
end
return { string.format('%.0f', number), listed, all, known, isChange and 1 or 0, joined, left, updated }
`);

/** Sends a node's changes of a room to the server. Rejects as `RedisShard.run` does. */
export async function applyUpdate(
  shard: RedisShard,
  keys: RoomKeys,
  { node, room }: { node: string; room: string },
  { joins, leaves, guests, renews }: RoomUpdate,
): Promise<Applied> {
  const args: (string | number)[] = [node, room, KEEP_SECONDS, guests, joins.length, renews === true ? 1 : 0];
  for (const { id, name, honorLevel, since } of joins) args.push(id, `${honorLevel}:${name}`, since);
  for (const id of leaves) args.push(id);
  const order = [keys.users, keys.since, keys.own, keys.guests, keys.version, keys.rooms, keys.nodes];
  const reply = (await shard.run(APPLY, order, args)) as [
    string,
    number,
    number,
    number,
    number,
    number[],
    Row[],
    Row[],
  ];
  const [version, count, all, known, isChange, joined, left, updated] = reply;
  return {
    version: Number(version),
    count,
    guests: all,
    joined: joined.flatMap((n) => joins[n] ?? []),
    left: left.map(entryOf),
    updated: updated.map(entryOf),
    wasKnown: known === 1,
    isChange: isChange === 1,
  };
}

type Row = [id: string, tail: string, since: string];

function entryOf([id, tail, since]: Row): PresenceEntry {
  const colon = tail.indexOf(":");
  return {
    kind: "user",
    id: Number(id),
    name: tail.slice(colon + 1),
    honorLevel: Number(tail.slice(0, colon)),
    since: Number(since),
  };
}

const READ = new RedisScript(`
local users, since, guests, version = unpack(KEYS)
local ids = redis.call('ZRANGE', since, ARGV[1], ARGV[2], 'WITHSCORES')
local rows = {}
for n = 1, #ids, 2 do
  local now = redis.call('HGET', users, ids[n])
  if now then rows[#rows + 1] = { ids[n], string.sub(now, string.find(now, ':', 1, true) + 1), ids[n + 1] } end
end
local number = redis.call('GET', version)
if not number then
  local time = redis.call('TIME')
  number = string.format('%.0f', time[1] * 1000000 + time[2])
  redis.call('SET', version, number, 'EX', ARGV[3])
end
return { number, redis.call('ZCARD', since), redis.call('HGET', guests, '*') or '0', rows }
`);

/** A room as all nodes see it, with a part of its list. */
export interface RoomState {
  version: number;
  count: number;
  guests: number;
  users: PresenceEntry[];
}

/**
 * Reads `limit` users from `offset`, by the time since when they are online. The changes after it have
 * the versions after its own, also in a room that was empty. Rejects as `RedisShard.run` does.
 */
export async function readRoom(shard: RedisShard, keys: RoomKeys, offset: number, limit: number): Promise<RoomState> {
  const order = [keys.users, keys.since, keys.guests, keys.version];
  const reply = (await shard.run(READ, order, [offset, offset + limit - 1, KEEP_SECONDS])) as [
    string,
    number,
    string,
    Row[],
  ];
  const [version, count, guests, rows] = reply;
  return { version: Number(version), count, guests: Number(guests), users: rows.map(entryOf) };
}

const COUNTS = new RedisScript(`
local found = {}
for n = 1, #KEYS, 2 do
  found[n] = redis.call('ZCARD', KEYS[n])
  found[n + 1] = tonumber(redis.call('HGET', KEYS[n + 1], '*') or 0)
end
return found
`);

/** Reads users and guests of many rooms of one server, in their order. Rejects as `RedisShard.run` does. */
export async function readCounts(shard: RedisShard, rooms: readonly RoomKeys[]): Promise<[number, number][]> {
  const keys = rooms.flatMap(({ since, guests }) => [since, guests]);
  const found = (await shard.run(COUNTS, keys, [])) as number[];
  return rooms.map((_, n) => [found[2 * n] ?? 0, found[2 * n + 1] ?? 0]);
}

const STOP = new RedisScript(`
local time = redis.call('TIME')
if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 1 then
  redis.call('HSET', KEYS[1], ARGV[1], string.format('%.0f', time[1] * 1000 + time[2] / 1000 + ARGV[2]))
end
return 1
`);

/** Lets a node's entries be taken out `ms` after now, and not before. Rejects as `RedisShard.run` does. */
export async function keepForReturning(shard: RedisShard, nodes: string, node: string, ms: number): Promise<void> {
  await shard.run(STOP, [nodes], [node, Math.ceil(ms)]);
}
