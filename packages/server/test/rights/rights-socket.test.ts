import { afterEach, beforeAll, describe, expect, test } from "bun:test";
import { makeCommands } from "../../src/gateway/commands.ts";
import { allRoutes } from "../../src/modules.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import { AGENT_COMMAND_RECIPES, COMMAND_RECIPES } from "../support/rights/command-recipes.ts";
import type { Handles } from "../support/rights/objects.ts";
import type { Recipe, Sent } from "../support/rights/recipe.ts";
import { AGENTS, type Role, USERS } from "../support/rights/roles.ts";
import { refusal, type Told, walk } from "../support/rights/walk.ts";
import { RightsWorld } from "../support/rights/world.ts";
import { TestSocket } from "../support/servers/socket.ts";

/** The rights table of protocol §1 on the socket: a command has the same rights as its HTTP route. */
const sockets = new Map<Role, TestSocket>();
const world = await forAllTests(RightsWorld.make());
afterEach(() => {
  for (const socket of sockets.values()) socket.terminate();
  sockets.clear();
});

const ROLES: readonly Role[] = ["guest", "suspended", ...USERS];
/** Acts that only subscribers of a channel can perform. */
const LISTENING: ReadonlySet<string> = new Set(["channel:leave", "typing:start", "typing:stop"]);

const names = [...makeCommands(allRoutes())].map(([name, command]) => [name, command] as const);

function recipesOf(name: string): readonly Recipe[] {
  const found = COMMAND_RECIPES[name];
  if (found !== undefined) return found;
  throw new Error(`${name} is not tested: define its calls in test/support/rights/command-recipes.ts.`);
}

async function call(name: string, role: Role, handles: Handles, { body }: Sent): Promise<Told> {
  const socket = sockets.get(role) ?? (await TestSocket.open(world.server.url, world.client(role).credential));
  sockets.set(role, socket);
  if (LISTENING.has(name)) await socket.command("channel:join", { channel_id: handles.channel_id });
  const { event, data } = await socket.command(name, body);
  // The socket now has another identity.
  if (name.startsWith("auth:")) {
    socket.terminate();
    sockets.delete(role);
  }
  // The text includes all pushed frames.
  const text = JSON.stringify(socket.frames);
  return event === "ack" ? { answer: "yes", text } : { ...refusal(JSON.stringify(data)), text };
}

test("every command declares its acts, and the tests try exactly these", () => {
  const wrong = names.flatMap(([name, { user, agent }]) => {
    const recipes = [...recipesOf(name), ...(AGENT_COMMAND_RECIPES[name] ?? [])];
    const tried = new Set(recipes.map(({ right }) => right));
    const differing = [...new Set([user.documentedActs, agent.documentedActs].flat()).symmetricDifference(tried)];
    return differing.map(
      (right) =>
        `${name}: "${right}" is declared but not tried in test/support/rights/command-recipes.ts, or the reverse`,
    );
  });
  expect(wrong).toEqual([]);
});

describe("the rights table for socket commands", () => {
  test.each(names)("holds for %s", async (name) => {
    const callee = {
      isRead: name === "channel:join",
      roles: ROLES,
      call: (role: Role, handles: Handles, sent: Sent) => call(name, role, handles, sent),
    };
    for (const recipe of recipesOf(name)) expect((await walk(world, callee, recipe)).wrong).toEqual([]);
  });
});

describe("the rights table for socket commands of agents", () => {
  test.each(names)("holds for %s", async (name) => {
    const callee = {
      isRead: name === "channel:join",
      roles: AGENTS,
      call: (role: Role, handles: Handles, sent: Sent) => call(name, role, handles, sent),
    };
    const recipes = AGENT_COMMAND_RECIPES[name] ?? recipesOf(name);
    for (const recipe of recipes) expect((await walk(world, callee, recipe)).wrong).toEqual([]);
  });

  test.each(["paused agent", "revoked key"] as const)("a %s cannot connect", async (role) => {
    const { status, body } = await world.client(role).get("/api/ws", { headers: { upgrade: "websocket" } });
    expect([status, body.code]).toEqual(role === "paused agent" ? [403, "agent_paused"] : [401, "key_revoked"]);
  });
});

describe("the rights table on a server without guest reading", () => {
  beforeAll(() => world.restart({ guestRead: false }));

  test("holds for channel:join", async () => {
    const callee = {
      isRead: true,
      roles: ROLES,
      call: (role: Role, handles: Handles, sent: Sent) => call("channel:join", role, handles, sent),
    };
    const [listen] = recipesOf("channel:join");
    if (listen === undefined) throw new Error("No recipe joins a channel without becoming a member.");
    expect((await walk(world, callee, listen, false)).wrong).toEqual([]);
  });
});
