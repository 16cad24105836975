import { expect, test } from "bun:test";
import { RedisShards } from "./shards.ts";

const open = (urls: readonly string[], onDown = () => {}) => new RedisShards(urls, { epoch: "e", onDown });

test("keys are spread over the servers, and another server moves only its own share", () => {
  const urls = [1, 2, 3].map((n) => `redis://shard${n}`);
  using three = open(urls);
  using four = open([...urls, "redis://shard4"].reverse());
  const keys = Array.from({ length: 4_000 }, (_, n) => `c:${n}`);
  for (const { name } of four.shards) {
    expect(keys.filter((key) => four.shardOf(key).name === name).length / 1_000).toBeWithin(0.9, 1.1);
  }
  const moved = keys.filter((key) => three.shardOf(key).name !== four.shardOf(key).name);
  expect(moved.every((key) => four.shardOf(key).name === "shard4:6379")).toBe(true);
});
