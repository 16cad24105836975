import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { makeCommands } from "../../src/gateway/commands.ts";
import { allRoutes } from "../../src/modules.ts";
import { commandsOf, routesOf, SLOW_COMMANDS, SLOW_ROUTES, SLOW_TOOLS, toolsOf } from "../support/rights/slow-doors.ts";
import { type Door, SlowWalk } from "../support/rights/slow-walk.ts";
import { TOOL_RECIPES } from "../support/rights/tool-recipes.ts";
import { RightsWorld } from "../support/rights/world.ts";
import { currentClient } from "../support/servers/mcp-clients.ts";
import { readSources } from "../support/sources.ts";

/**
 * Calls every route that writes, every command and every tool. Rights end without a message to the server, as another
 * process or a node that is cut off would end them. `slowWalkTests` does the same on PostgreSQL and on two nodes.
 */
let world: RightsWorld;
beforeAll(async () => {
  world = await RightsWorld.make();
}, 60_000);
afterAll(() => world[Symbol.asyncDispose]());

const writing = allRoutes().filter(({ method }) => method !== "GET");
const DOORS: readonly [string, (world: RightsWorld) => Door, readonly string[], Readonly<Record<string, string>>][] = [
  ["route that writes", routesOf, writing.map(({ method, path }) => `${method} ${path}`), SLOW_ROUTES],
  ["command", commandsOf, [...makeCommands(allRoutes()).keys()], SLOW_COMMANDS],
  ["tool", toolsOf, Object.keys(TOOL_RECIPES), SLOW_TOOLS],
];

test("every tool that the server lists is called", async () => {
  const { apiKey } = await world.server.agent();
  await using client = await currentClient(world.server.url, apiKey, "auto");
  expect((await client.tools()).map(({ name }) => name).sort()).toEqual(Object.keys(TOOL_RECIPES).sort());
});

describe.each([...DOORS])("of a %s", (_, door, names, slow) => {
  let walk: SlowWalk;

  test("every slow call is in the table", async () => {
    walk = new SlowWalk(world, door(world));
    expect(await walk.find(names)).toEqual(slow);
  });

  test.each(Object.keys(slow))(
    "%s is refused if a right ends during a slow call",
    async (name) => {
      const { refused, wrong } = await walk.refusals(name);
      expect(wrong).toEqual([]);
      expect(refused).toBeGreaterThan(0);
    },
    120_000,
  );
});

/** Calls that take long, by how the sources write them. */
const PRIMITIVES =
  /outgoing\(ctx\)\.(send|check)\(|chain\.(observe|canReceive|leastTransfer)\(|fileStorage\(ctx\)\.store\(|hasher\(ctx\)\.used\.hash\(|receiveForm\(|pictureFile\(|scanNew\(|isSignedBy\(|checkNewPasskey\(/;
/** Work of the server itself, for which nobody's right is needed; and a signature that follows a slow call. */
const OTHERS = new Set(["payments/recheck.ts", "payouts/send/payout-run.ts", "payments/pay/binding.ts"]);

test("nothing slow is called past `slowly`", async () => {
  const root = join(import.meta.dir, "../../../..");
  const sources = (await readSources(root)).filter(
    ({ path }) => path.startsWith("packages/server/src/") && !/\.(test|conformance)\.ts$/.test(path),
  );
  const wrong = sources.flatMap(({ path, code }) =>
    code
      .split("\n")
      .filter((line) => PRIMITIVES.test(line) && !/slowly\(|\bfunction\b/.test(line))
      .map((line) => `${path.replace("packages/server/src/", "")}: ${line.trim()}`),
  );
  expect(wrong.filter((line) => !OTHERS.has(line.split(":", 1)[0] ?? ""))).toEqual([]);
});
