import { expect, test } from "bun:test";
import { calibrate, perMessage, simulate } from "./cluster-model.ts";

const COSTS = { send: 100, deliver: 5, hear: 30, nodeIdle: 10_000, redisTake: 10, redisPass: 4, postgres: 200 };

const run = (nodes: number, listeners: number) => {
  const { node, redis } = perMessage(COSTS, nodes, listeners);
  return { nodes, listeners, node, redis, postgres: COSTS.postgres, idle: nodes * COSTS.nodeIdle };
};

test("costs are found again in the runs that they make", () => {
  expect(calibrate({ few: run(1, 4), many: run(1, 20), two: run(2, 20) })).toEqual(COSTS);
});

test("the simulation of one node adds up what each message costs", () => {
  const load = simulate(COSTS, { nodes: 1, shards: 1, sendsPerSecond: 1_000, listeners: 20 });
  expect(load.hearing).toBe(1);
  expect(load.node.mean).toBeCloseTo((1_000 * perMessage(COSTS, 1, 20).node + COSTS.nodeIdle) / 1e6);
  expect(load.redis.max).toBeCloseTo((1_000 * perMessage(COSTS, 1, 20).redis) / 1e6);
  expect(load.postgres).toBeCloseTo(0.2);
});

test("on many nodes a room's listeners are at the expected number of nodes, and the nodes share the work", () => {
  const load = simulate(COSTS, { nodes: 40, shards: 4, sendsPerSecond: 20_000, listeners: 20 });
  const expected = 40 * (1 - (1 - 1 / 40) ** 20);
  expect(Math.abs(load.hearing - expected)).toBeLessThan(0.1);
  const each = perMessage(COSTS, load.hearing, 20);
  expect(load.node.mean).toBeCloseTo((20_000 * each.node) / 40 / 1e6 + COSTS.nodeIdle / 1e6, 3);
  expect(load.node.max).toBeLessThan(load.node.mean * 1.2);
  expect(load.redis.mean).toBeCloseTo((20_000 * each.redis) / 4 / 1e6, 3);
  expect(simulate(COSTS, { nodes: 40, shards: 4, sendsPerSecond: 100, listeners: 20 })).toEqual(
    simulate(COSTS, { nodes: 40, shards: 4, sendsPerSecond: 100, listeners: 20 }),
  );
});
