import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { sessionCookie, startSession } from "../../src/accounts/sessions/sessions.ts";
import { allRoutes } from "../../src/app.ts";
import { beforeSlow } from "../../src/http/acts/slow.ts";
import { png } from "../support/pngs.ts";
import * as of from "../support/rights/belongings.ts";
import * as hooks from "../support/rights/hooks.ts";
import * as on from "../support/rights/objects.ts";
import { PASSWORD_OF_ALL } from "../support/rights/people.ts";
import { changes, json, type Recipe, reads, type Sent } from "../support/rights/recipe.ts";
import { ROUTES } from "../support/rights/recipes.ts";
import { isUser, type Role } from "../support/rights/roles.ts";
import { during } from "../support/rights/slow-call.ts";
import { RightsWorld } from "../support/rights/world.ts";
import { readSources } from "../support/sources.ts";

/**
 * Calls every route that writes, with the calls of the rights table and those below. Where something slow comes between
 * the check and the write, the caller's right ends meanwhile, without a message to the server, as another process or a
 * node that is cut off would end it: the route answers as if the call began then, and nothing is stored.
 */

/** Calls that are slow only with these fields. */
const MORE: Readonly<Record<string, readonly Recipe[]>> = {
  "PUT /api/user/:username": [
    reads("update user", of.rankedUser, json({ password: PASSWORD_OF_ALL })),
    reads("update user", of.rankedUser, json({ avatar: png(8, 8).toString("base64") })),
  ],
  "PUT /api/webhooks/:webhook_id":
    hooks.ROUTES["PUT /api/webhooks/:webhook_id"]?.map((recipe) => ({
      ...recipe,
      sent: () => ({ body: { url: "https://8.8.8.8/hook" } }),
    })) ?? [],
  "POST /api/channels": [
    reads("create channel", on.nothing, (_, fresh) => ({
      body: { name: fresh(), is_private: true, password: PASSWORD_OF_ALL },
    })),
  ],
  "PUT /api/channels/:channel_id": [
    changes("update channel", on.channel, json({ is_private: true, password: PASSWORD_OF_ALL })),
  ],
};

/** The slow calls of each route that writes. A new slow call is a new row, and is then tried below. */
const SLOW: Readonly<Record<string, string>> = {
  "DELETE /api/admin/users/:username/second-factor": "hash",
  "DELETE /api/auth/passkeys/:passkey_id": "hash",
  "DELETE /api/auth/totp": "hash",
  "DELETE /api/user/:username": "hash",
  "POST /api/admin/users/:username/reset-link": "hash",
  "POST /api/agenthub/agent-api-key/recover": "lookup",
  "POST /api/agenthub/agent-api-key/verify-tweet": "lookup",
  "POST /api/auth/recovery-codes": "hash",
  "POST /api/auth/totp": "hash",
  "POST /api/channels": "hash",
  "POST /api/channels/:channel_id/join": "hash",
  "POST /api/files": "scan storage upload",
  "POST /api/push/subscriptions": "dns",
  "POST /api/user/:username/wallets/proof": "signature",
  "POST /api/webhooks": "dns",
  "PUT /api/channels/:channel_id": "hash",
  "PUT /api/user/:username": "hash picture",
  "PUT /api/webhooks/:webhook_id": "dns",
};

let world: RightsWorld;
beforeAll(async () => {
  world = await RightsWorld.make();
}, 60_000);
afterAll(() => world[Symbol.asyncDispose]());

const CALLERS: readonly Role[] = ["owner", "level 3", "user", "member", "added agent", "agent"];

/** A call that succeeded and passed something slow. */
interface SlowCall {
  recipe: Recipe;
  at: number;
  role: Role;
}

const slowCalls = new Map<string, SlowCall[]>();

async function prepared(name: string, { recipe, at, role }: SlowCall, credential: Record<string, string>) {
  const handles = await recipe.on.get(world, recipe.on.targets[at] ?? {}, role);
  if (handles === null) return null;
  const sent = recipe.sent(handles, () => world.name());
  const [method = "", pattern = ""] = name.split(" ");
  const names = new Map(Object.entries({ ...handles, ...sent.params }));
  const path = pattern.replace(/:(\w+)/g, (_, field) => encodeURIComponent(String(names.get(field) ?? field)));
  return () =>
    fetch(`${world.server.url}${path}?${new URLSearchParams(sent.query)}`, { method, ...requestOf(sent, credential) });
}

function requestOf({ body, form, headers, cookie }: Sent, credential: Record<string, string>): RequestInit {
  const cookies = [credential.cookie, cookie].filter((text) => text !== undefined).join("; ");
  return {
    headers: {
      ...credential,
      ...(cookies === "" ? {} : { cookie: cookies }),
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...headers,
    },
    ...(body === undefined && form === undefined ? {} : { body: form ?? JSON.stringify(body) }),
  };
}

/** Calls once and returns what it passed; null if it did not succeed. */
async function kindsOf(name: string, call: SlowCall): Promise<Set<string> | null> {
  const { recipe, role, at } = call;
  using _standIn = isUser(role) && recipe.usesUpCaller ? await world.standIn(role) : null;
  const send = await prepared(name, call, world.person(role).credential);
  if (send === null) return null;
  const kinds = new Set<string>();
  beforeSlow(world.ctx).hold = async (kind) => void kinds.add(kind);
  const response = await send();
  await response.body?.cancel();
  beforeSlow(world.ctx).hold = null;
  const place = recipe.on.targets[at]?.place;
  if (response.ok && !recipe.harmless && place !== undefined) await world.spend(place);
  return response.ok ? kinds : null;
}

test("every slow call of a route that writes is in the table", async () => {
  const found: Record<string, string> = {};
  for (const { method, path, auth } of allRoutes().filter(({ method }) => method !== "GET")) {
    const name = `${method} ${path}`;
    const passed = new Set<string>();
    for (const recipe of [...(ROUTES[name] ?? []), ...(MORE[name] ?? [])])
      for (const at of recipe.on.targets.keys())
        for (const role of CALLERS) {
          const kinds = await kindsOf(name, { recipe, at, role });
          if (kinds === null || kinds.size === 0) continue;
          for (const kind of kinds) passed.add(kind);
          // An agent's key says nothing where only a session may identify the caller.
          if (auth === "visitor" && !isUser(role)) continue;
          slowCalls.set(name, [...(slowCalls.get(name) ?? []), { recipe, at, role }]);
        }
    if (passed.size > 0) found[name] = [...passed].sort().join(" ");
  }
  expect(found).toEqual(SLOW);
}, 300_000);

/** Ends the caller's right where only the database knows. Returns their credential and the code that they get now. */
async function endable(
  role: Role,
): Promise<{ credential: Record<string, string>; code: string; end(): Promise<unknown>; back(): Promise<unknown> }> {
  const { db } = world.ctx;
  if (!isUser(role)) {
    const { agentId } = world.agent(role);
    const pause = (paused: 0 | 1) => db.updateTable("agents").set({ paused }).where("id", "=", agentId).execute();
    const { credential } = world.person(role);
    return { credential, code: "agent_paused", end: () => pause(1), back: () => pause(0) };
  }
  const { userId } = world.user(role);
  const { token, identity } = await startSession(world.ctx, userId, { address: "127.0.0.1", userAgent: null });
  const cookie = sessionCookie(world.server.config, token).split(";", 1)[0] ?? "";
  const end = () => db.deleteFrom("sessions").where("id", "=", identity.sessionId).execute();
  return { credential: { cookie }, code: "session_required", end, back: async () => {} };
}

describe("a right that ends during a slow call", () => {
  // Nobody's right ends in these: they prove who they are, and are decided under the lock of the account's row.
  const open = new Set(["POST /api/auth/login", "POST /api/auth/register"]);
  test.each(Object.keys(SLOW).filter((name) => !open.has(name)))(
    "refuses %s",
    async (name) => {
      const calls = slowCalls.get(name) ?? [];
      expect(calls.length).toBeGreaterThan(0);
      const tried = new Map(calls.map((call) => [`${call.role} ${call.recipe.right}`, call]));
      for (const call of tried.values()) {
        using _standIn = isUser(call.role) && call.recipe.usesUpCaller ? await world.standIn(call.role) : null;
        const { credential, code, end, back } = await endable(call.role);
        const send = await prepared(name, call, credential);
        if (send === null) throw new Error("it was possible a moment ago");
        const response = await during(world.server, send, end);
        await back();
        const { code: answered } = (await response.json()) as { code?: string };
        expect({ role: call.role, code: answered }).toEqual({ role: call.role, code });
      }
    },
    60_000,
  );
});

/** Calls that take long, by how the sources write them. */
const PRIMITIVES =
  /outgoing\(ctx\)\.(send|check)\(|chain\.(observe|canReceive|leastTransfer)\(|fileStorage\(ctx\)\.store\(|hasher\(ctx\)\.used\.hash\(|receiveForm\(|pictureFile\(|scanNew\(|isSignedBy\(|checkNewPasskey\(/;
/** Work of the server itself, for which nobody's right is needed; and a signature that follows a slow call. */
const OTHERS = new Set(["payments/recheck.ts", "payouts/send/payout-run.ts", "payments/verify/payer-proof.ts"]);

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
