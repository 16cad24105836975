import { expect, test } from "bun:test";
import type { ClusterNode } from "../../cluster/cluster.ts";
import { ShardHealth } from "./shard-health.ts";

const node = (id: string, shards = "a:1"): ClusterNode => ({
  id,
  name: id,
  version: "1",
  schema: 1,
  shards,
  state: "ready",
});
const [own, other] = [node("own"), node("other")];

test("is good while this node and every other one were heard within three seconds", () => {
  const health = new ShardHealth();
  expect(health.doubt([own, other], "own", 0)).toBe("this node does not hear itself");
  health.hear("own", 0, 1_000);
  expect(health.doubt([own], "own", 1_000)).toBeNull();
  health.reset();
  health.hear("own", 0, 1_000);
  expect(health.doubt([own, other], "own", 1_000)).toBe("node other is not heard");
  health.hear("other", 0, 1_500);
  expect(health.doubt([own, other], "own", 4_000)).toBeNull();
  expect(health.doubt([own, other], "own", 4_001)).toBe("this node does not hear itself");
  health.hear("own", 0, 4_001);
  expect(health.doubt([own, other], "own", 4_501)).toBe("node other is not heard");
  expect(health.doubt([own], "own", 4_501)).toBeNull();
});

test("trusts no heartbeat that arrived before the subscription was replaced", () => {
  const health = new ShardHealth();
  health.hear("own", 0, 0);
  expect(health.doubt([own], "own", 0)).toBeNull();
  health.reset();
  expect(health.doubt([own], "own", 0)).not.toBeNull();
});

test("gives a node that joins time for its first heartbeat, once", () => {
  const health = new ShardHealth();
  health.hear("own", 0, 0);
  expect(health.doubt([own], "own", 0)).toBeNull();
  expect(health.doubt([own, other], "own", 1_000)).toBeNull();
  health.hear("own", 0, 4_000);
  expect(health.doubt([own, other], "own", 4_001)).toBe("node other is not heard");
});

test("doubts while a node uses other servers, and names it", () => {
  const health = new ShardHealth();
  health.hear("own", 0, 0);
  health.hear("other", 0, 0);
  expect(health.doubt([own, node("other", "a:1,b:1")], "own", 0)).toBe(
    "node other uses other Redis servers (a:1,b:1) than this one (a:1); give all nodes the same REDIS_URL",
  );
});

test("notices that a node has lost publications", () => {
  const health = new ShardHealth();
  expect(health.hear("other", 3, 0)).toEqual({ isFirst: true, hasLost: false });
  expect(health.hear("other", 3, 1)).toEqual({ isFirst: false, hasLost: false });
  expect(health.hear("other", 4, 2)).toEqual({ isFirst: false, hasLost: true });
});
