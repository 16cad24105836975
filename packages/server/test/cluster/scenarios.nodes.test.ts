import { describe, test } from "bun:test";
import { isPostgresReachable } from "../support/databases.ts";
import { isRedisInstalled, redisIsRequired } from "../support/servers/redis-server.ts";
import { SCENARIOS } from "./scenarios/scenarios.ts";

redisIsRequired();
describe.skipIf(!isPostgresReachable || !isRedisInstalled)("in a cluster of nodes on PostgreSQL and Redis", () => {
  for (const { name, title, short, run } of SCENARIOS) {
    test(title, async () => {
      const figures = await run(short, () => {});
      console.log(JSON.stringify({ scenario: name, ...figures }));
    }, 180_000);
  }
});
