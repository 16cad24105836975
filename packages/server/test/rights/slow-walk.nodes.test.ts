import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type House, openHouse } from "../support/rights/houses.ts";
import { commandsOf, routesOf, SLOW_COMMANDS, SLOW_ROUTES, SLOW_TOOLS, toolsOf } from "../support/rights/slow-doors.ts";
import { SlowWalk } from "../support/rights/slow-walk.ts";
import { RightsWorld } from "../support/rights/world.ts";
import type { TestServer } from "../support/servers/test-server.ts";

const DOORS = [
  ["routes", routesOf, SLOW_ROUTES],
  ["commands", commandsOf, SLOW_COMMANDS],
  ["tools", toolsOf, SLOW_TOOLS],
] as const;

/**
 * The walk of slow-walk.test.ts on PostgreSQL, where rights end unheard, too, and on two nodes, where they end on the
 * other node.
 */
describe.each(["PostgreSQL", "two nodes"] as const)("on %s", (kind) => {
  let house: House;
  let world: RightsWorld;
  beforeAll(async () => {
    world = await RightsWorld.make(async (config): Promise<TestServer> => {
      house = await openHouse(kind, config);
      return house.here;
    });
  }, 60_000);
  afterAll(async () => {
    world.posts[Symbol.dispose]();
    await house[Symbol.asyncDispose]();
  });

  test.each([...DOORS])(
    "slow %s are refused if a right ends meanwhile",
    async (_, door, slow) => {
      const there = kind === "two nodes" ? house.there.ctx : null;
      const walk = new SlowWalk(world, door(world), { there, isBrief: true });
      expect(await walk.find(Object.keys(slow))).toEqual(slow);
      for (const name of Object.keys(slow)) {
        const { refused, wrong } = await walk.refusals(name);
        expect([name, ...wrong]).toEqual([name]);
        expect(refused).toBeGreaterThan(0);
      }
    },
    600_000,
  );
});
