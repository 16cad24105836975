import { beforeAll, describe, expect, test } from "bun:test";
import type { Auth, Route } from "../../src/http/route.ts";
import { allRoutes } from "../../src/modules.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import { refusalAtTheDoor } from "../support/rights/expected.ts";
import type { Handles } from "../support/rights/objects.ts";
import type { Recipe, Sent } from "../support/rights/recipe.ts";
import { ROUTES } from "../support/rights/recipes.ts";
import { ROLES, type Role } from "../support/rights/roles.ts";
import { TABLE } from "../support/rights/table.ts";
import { type Callee, refusal, type Told, walk } from "../support/rights/walk.ts";
import { RightsWorld } from "../support/rights/world.ts";

/**
 * The rights table of protocol §1 over real HTTP: calls every route in every role, on own, foreign, absent and hidden
 * objects. support/rights/table.ts has the expected results; support/rights/recipes.ts defines the calls.
 */
const world = await forAllTests(RightsWorld.make());

const routes = allRoutes().map((route) => [`${route.method} ${route.path}`, route] as const);

function recipesOf(name: string): readonly Recipe[] {
  const found = ROUTES[name];
  if (found !== undefined) return found;
  throw new Error(
    `${name} is not tested: define its calls in test/support/rights/recipes.ts and, for a new act, its rule in test/support/rights/table.ts.`,
  );
}

const calleeOf = (route: Route): Callee => ({
  isRead: route.method === "GET",
  roles: ROLES,
  call: (role, handles, sent) => call(route, role, handles, sent),
});

async function call(route: Route, role: Role, handles: Handles, sent: Sent): Promise<Told> {
  const { url, credential } = world.client(role);
  const names = { ...handles, ...sent.params };
  const path = route.path.replace(/:(\w+)/g, (_, name) => encodeURIComponent(String(names[name] ?? name)));
  const query = new URLSearchParams(sent.query);
  const cookie = [credential.cookie, sent.cookie].filter((text) => text !== undefined).join("; ");
  const response = await fetch(`${url}${path}?${query}`, {
    method: route.method,
    headers: {
      ...credential,
      ...(cookie === "" ? {} : { cookie }),
      ...(sent.body === undefined ? {} : { "content-type": "application/json" }),
      ...sent.headers,
    },
    ...(sent.body === undefined && sent.form === undefined ? {} : { body: sent.form ?? JSON.stringify(sent.body) }),
    redirect: "manual",
  });
  if (response.headers.get("content-type")?.startsWith("text/event-stream") === true) {
    await response.body?.cancel();
    return { answer: "yes", text: "" };
  }
  const text = await response.text();
  return response.ok || response.status === 302 ? { answer: "yes", text } : refusal(text, response.status);
}

test("every route declares its acts, and the tests try exactly these", () => {
  const wrong = routes.flatMap(([name, route]) => {
    const declared = new Set([route.documentedActs].flat());
    const tried = new Set(recipesOf(name).map(({ right }) => right));
    const unknown = [...declared].filter((right) => TABLE[right] === undefined);
    const untried = [...declared.difference(tried)];
    return [
      ...unknown.map((right) => `${name} declares "${right}": add its rule in test/support/rights/table.ts`),
      ...untried.map(
        (right) => `${name} declares "${right}": add a call that does it in test/support/rights/recipes.ts`,
      ),
      ...[...tried.difference(declared)].map((right) => `${name} is tried for "${right}", which it does not declare`),
    ];
  });
  expect(wrong).toEqual([]);
  const names = new Set<string>(routes.map(([name]) => name));
  expect(Object.keys(ROUTES).filter((name) => !names.has(name))).toEqual([]);
});

/** A call with a malformed id, body and cursor. */
const BROKEN: Sent = { headers: { "content-type": "text/plain" }, query: { limit: "x", before: "x" } };

let trials = 0;

describe("the rights table for routes", () => {
  test.each(routes)("holds for %s", async (name, route) => {
    for (const recipe of recipesOf(name)) {
      const walked = await walk(world, calleeOf(route), recipe);
      trials += walked.trials;
      expect(walked.wrong).toEqual([]);
    }
  });

  test("is tested with more than 5,000 calls", () => {
    expect(trials).toBeGreaterThan(5_000);
    console.log(JSON.stringify({ routes: routes.length, trials }));
  });
});

describe("a caller without access is refused before any other error is reported", () => {
  const closed = routes.filter(([, { auth }]) => refusalAtTheDoor(auth as Auth, "guest") !== undefined);
  test.each(closed)("by %s", async (_name, route) => {
    for (const role of ROLES) {
      const wanted = refusalAtTheDoor(route.auth as Auth, role);
      if (wanted === undefined) continue;
      const { answer } = await call(route, role, {}, BROKEN);
      expect({ role, answer }).toEqual({ role, answer: wanted });
    }
  });
});

describe("the rights table on a server without guest reading", () => {
  beforeAll(() => world.restart({ guestRead: false }));

  test.each(routes.filter(([, { auth }]) => auth === "guest" || auth === "anyone"))(
    "holds for %s",
    async (name, route) => {
      const atTheDoor = (await call(route, "guest", {}, BROKEN)).answer === "session_required";
      expect(atTheDoor).toBe(route.auth === "guest");
      for (const recipe of recipesOf(name)) {
        const { wrong } = await walk(world, calleeOf(route), recipe, false);
        expect(wrong).toEqual([]);
      }
    },
  );
});
