import { describe, expect, test } from "bun:test";
import { RedisServer } from "../../../test/support/servers/redis-server.ts";
import { loadConfig } from "../../config/load-config.ts";
import { checkRedis } from "./cluster.ts";

const DATABASE_URL = "postgres://parley@127.0.0.1/parley";
const findings = (REDIS_URL: string) => checkRedis(loadConfig({ DATABASE_URL, REDIS_URL }));

test("the doctor says nothing about Redis on a lone server", async () => {
  expect(await findings("")).toEqual([]);
});

describe("with Redis", () => {
  test("the doctor reports each server, with version and latency, and repeats no password", async () => {
    await using good = await RedisServer.start({ password: "hidden" });
    await using evicting = await RedisServer.start({ options: ["--maxmemory-policy", "allkeys-lru"] });
    const wrong = `redis://:guessed@127.0.0.1:${good.port}`;
    const all = [...(await findings(`${good.url},${evicting.url}`)), ...(await findings(wrong))];
    expect(all.map(({ state, text }) => `${state}: ${text}`)).toEqual([
      expect.stringMatching(
        /^(ok|advice): (Redis|Valkey) \d+\.\d+\.\d+, a primary, answers in \d+\.\d ms(; place it closer to the nodes)?$/,
      ),
      expect.stringMatching(/^problem: .* has the eviction policy allkeys-lru/),
      expect.stringMatching(/^problem: .* refuses the user or password of REDIS_URL/),
    ]);
    expect(JSON.stringify(all)).not.toMatch(/hidden|guessed/);
  });
});
