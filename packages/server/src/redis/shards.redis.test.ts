import { describe, expect, test } from "bun:test";
import { RedisServer } from "../../test/support/servers/redis-server.ts";
import { eventually } from "../../test/support/servers/test-server.ts";
import { RedisUnavailable } from "./redis-answer.ts";
import { RedisScript, RedisShards } from "./shards.ts";

const open = (urls: readonly string[], onDown = () => {}) => new RedisShards(urls, { epoch: "e", onDown });

describe("a Redis server", () => {
  test("runs a script that it does not know yet", async () => {
    await using redis = await RedisServer.start({ password: "secret" });
    using shards = open([redis.url]);
    await shards.start();
    const script = new RedisScript("return {KEYS[1], ARGV[1]}");
    const shard = shards.shardOf("key");
    expect(await shard.run(script, ["key"], [7])).toEqual(["key", "7"]);
    expect(await shard.run(script, ["key"], [8])).toEqual(["key", "8"]);
  });

  test("is refused at the start with a wrong password", async () => {
    await using redis = await RedisServer.start({ password: "secret" });
    using shards = open([redis.url.replace("secret", "wrong")]);
    expect(await shards.start().catch((error: unknown) => error)).toBeInstanceOf(Error);
  });

  test("that ends and returns gets a new connection; commands in between fail at once", async () => {
    await using redis = await RedisServer.start();
    using shards = open([redis.url]);
    await shards.start();
    const shard = shards.shardOf("key");
    let ups = 0;
    shard.onUp(() => ups++);
    await redis.stop();
    await eventually("the loss is noticed", () => !shard.isUp);
    expect(await shard.send("PING", []).catch((error: unknown) => error)).toBeInstanceOf(RedisUnavailable);
    await redis.start();
    await eventually("the connection is back", () => ups === 1);
    expect(await shard.send("PING", [])).toBe("PONG");
  });

  test("that hangs fails a command when its time is over", async () => {
    await using redis = await RedisServer.start();
    using shards = open([redis.url]);
    await shards.start();
    redis.pause();
    const [shard] = shards.shards;
    expect(await shard?.send("PING", [], 20).catch((error: unknown) => error)).toBeInstanceOf(RedisUnavailable);
    redis.resume();
  });
});
