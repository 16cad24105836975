/**
 * A model of a cluster's CPU, fitted to measured runs of one and two nodes. Times are microseconds of CPU. It knows no
 * waiting: it says how busy the parts are, not how long a message takes.
 */
export interface Costs {
  /** To receive, check, store and answer a message, on its sender's node, with publishing it on the bus. */
  send: number;
  /** To write a message to one socket. */
  deliver: number;
  /** To receive a message from the bus, on each other node that has listeners. */
  hear: number;
  /** Of a node without messages, per second. */
  nodeIdle: number;
  /** Redis: to take a message, and to pass it to one node (the sender's included). */
  redisTake: number;
  redisPass: number;
  /** PostgreSQL's sessions, for one message. */
  postgres: number;
}

/** The costs that a run measured, per message, with the share of what happens without messages. */
export interface Run {
  nodes: number;
  /** Listeners of each room, spread evenly. */
  listeners: number;
  node: number;
  redis: number;
  postgres: number;
  /** Of all nodes, per second. */
  idle: number;
}

export interface CalibrationRuns {
  /** One node, with few and with many listeners: their difference is the cost of a delivery. */
  few: Run;
  many: Run;
  /** Two nodes with as many listeners. */
  two: Run;
}

export function calibrate({ few, many, two }: CalibrationRuns): Costs {
  const deliver = (many.node - few.node) / (many.listeners - few.listeners);
  const redisPass = two.redis - many.redis;
  return {
    deliver,
    send: many.node - deliver * many.listeners,
    hear: two.node - many.node,
    nodeIdle: two.idle / two.nodes,
    redisPass,
    redisTake: many.redis - redisPass,
    postgres: two.postgres,
  };
}

/** The CPU of all nodes and of Redis for a message whose listeners are on `nodes` nodes, the sender's among them. */
export function perMessage(costs: Costs, nodes: number, listeners: number): { node: number; redis: number } {
  return {
    node: costs.send + costs.deliver * listeners + costs.hear * (nodes - 1),
    redis: costs.redisTake + costs.redisPass * nodes,
  };
}

export interface Scale {
  nodes: number;
  shards: number;
  sendsPerSecond: number;
  listeners: number;
}

/** How busy the parts are: shares of one core. */
export interface Load {
  /** Nodes that hear a message, the sender's included, on average. */
  hearing: number;
  node: { mean: number; max: number };
  redis: { mean: number; max: number };
  /** All sessions together, in cores. */
  postgres: number;
  messagesToNodes: number;
}

/** Simulates one second: each message is sent in a room whose listeners are at random nodes; a room is on one shard. */
export function simulate(costs: Costs, { nodes, shards, sendsPerSecond, listeners }: Scale, seed = 1): Load {
  const random = generator(seed);
  const below = (n: number) => Math.floor(random() * n);
  const busy = new Float64Array(nodes).fill(costs.nodeIdle);
  const redis = new Float64Array(shards);
  let copies = 0;
  for (let message = 0; message < sendsPerSecond; message += 1) {
    const placed = new Map<number, number>();
    const sender = below(nodes);
    placed.set(sender, 1);
    for (let listener = 1; listener < listeners; listener += 1) {
      const node = below(nodes);
      placed.set(node, (placed.get(node) ?? 0) + 1);
    }
    for (const [node, sockets] of placed) {
      const first = node === sender ? costs.send : costs.hear;
      busy[node] = (busy[node] ?? 0) + first + sockets * costs.deliver;
    }
    const shard = below(shards);
    redis[shard] = (redis[shard] ?? 0) + costs.redisTake + costs.redisPass * placed.size;
    copies += placed.size;
  }
  return {
    hearing: copies / sendsPerSecond,
    node: spread(busy),
    redis: spread(redis),
    postgres: (costs.postgres * sendsPerSecond) / 1e6,
    messagesToNodes: copies,
  };
}

const spread = (times: Float64Array) => ({
  mean: times.reduce((sum, time) => sum + time, 0) / times.length / 1e6,
  max: Math.max(...times) / 1e6,
});

/** A small generator of uniform numbers in [0, 1), so that a run can be repeated (mulberry32). */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
