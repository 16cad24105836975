import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { TestServer } from "../servers/test-server.ts";
import { type House, openHouse } from "./houses.ts";
import { commandsOf, routesOf, SLOW_COMMANDS, SLOW_ROUTES, SLOW_TOOLS, toolsOf } from "./slow-doors.ts";
import { SlowWalk } from "./slow-walk.ts";
import { RightsWorld } from "./world.ts";

const DOORS = [
  ["routes", routesOf, SLOW_ROUTES],
  ["commands", commandsOf, SLOW_COMMANDS],
  ["tools", toolsOf, SLOW_TOOLS],
] as const;

/** The walk of slow-walk.test.ts, brief, on PostgreSQL or on two nodes, where rights end on the other node. */
export function slowWalkTests(kind: "PostgreSQL" | "two nodes"): void {
  describe(`on ${kind}`, () => {
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
}
