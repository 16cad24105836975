import { describe, expect, test } from "bun:test";
import { RedisServer } from "../../test/support/servers/redis-server.ts";
import { StartupError } from "../db/startup-error.ts";
import { inspectRedis } from "./inspect.ts";
import { isRefusal } from "./redis-answer.ts";
import { RedisShards } from "./shards.ts";

const problemOf = async (url: string, timeoutMs = 2_000) => (await inspectRedis(url, timeoutMs)).problem;

describe("a real server", () => {
  test("refuses a wrong, a missing and a superfluous password, without repeating it", async () => {
    await using locked = await RedisServer.start({ password: "hidden" });
    await using open = await RedisServer.start();
    expect(await problemOf(locked.url)).toBeNull();
    expect((await problemOf(`redis://:guessed@127.0.0.1:${locked.port}`))?.text).toContain(
      "refuses the user or password",
    );
    expect((await problemOf(`redis://127.0.0.1:${locked.port}`))?.text).toContain("demands a password");
    const superfluous = await problemOf(`redis://:guessed@127.0.0.1:${open.port}`);
    expect(superfluous).toMatchObject({ text: expect.stringContaining("has no password"), isLasting: true });
    expect((await problemOf(`rediss://127.0.0.1:${open.port}`, 200))?.text).toMatch(/TLS/);
  });

  test("refuses a user that may not publish, and accepts one that may not ask for the settings", async () => {
    await using redis = await RedisServer.start();
    const as = (user: string) => `redis://${user}:p@127.0.0.1:${redis.port}`;
    await redis.command("ACL", "SETUSER", "deaf", "on", ">p", "+@all", "~*", "resetchannels");
    expect((await problemOf(as("deaf")))?.text).toContain("forbids its user");
    await redis.command("ACL", "SETUSER", "shy", "on", ">p", "+@all", "-info", "~parley:*", "&parley:*");
    expect(await inspectRedis(as("shy"))).toMatchObject({ facts: null, problem: null });
    using shards = new RedisShards([as("shy")], { epoch: "e", onDown: () => {} });
    await shards.start();
    expect(shards.shards[0]?.isUp).toBe(true);
  });

  test("is full: a node starts and logs advice once a minute, and the doctor knows it", async () => {
    await using redis = await RedisServer.start({ options: ["--maxmemory", "1"] });
    expect(await problemOf(redis.url)).toMatchObject({
      text: expect.stringMatching(/is full: .* Raise/),
      isLasting: false,
    });
    const told: string[] = [];
    const onRefused = (_: unknown, advice: string) => void told.push(advice);
    using shards = new RedisShards([redis.url], { epoch: "e", onDown: () => {}, onRefused });
    await shards.start();
    const [shard] = shards.shards;
    for (let n = 0; n < 3; n++) expect(await shard?.send("SET", ["key", "1"]).catch(isRefusal)).toBe(true);
    expect(told).toEqual([expect.stringMatching(/is full: .* Raise/)]);
  });

  test("stops the start if it is a replica, and does not if it is away", async () => {
    await using primary = await RedisServer.start();
    await using replica = await RedisServer.start({ options: ["--replicaof", `127.0.0.1 ${primary.port}`] });
    using wrong = new RedisShards([primary.url, replica.url], { epoch: "e", onDown: () => {} });
    const refusal = await wrong.start().catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(StartupError);
    expect((refusal as Error).message).toBe(
      `Redis at 127.0.0.1:${replica.port} is a replica. Name its primary in REDIS_URL.`,
    );
    const told: string[] = [];
    using away = new RedisShards([primary.url, "redis://127.0.0.1:1"], {
      epoch: "e",
      onDown: (_, error) => void told.push(String(error)),
    });
    await away.start();
    expect(away.shards.map(({ isUp }) => isUp)).toEqual([true, false]);
    expect(told).toEqual([
      "RedisUnavailable: Nothing listens at 127.0.0.1:1. Start Redis there, or correct REDIS_URL.",
    ]);
  });
});
