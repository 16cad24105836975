import { expect, test } from "bun:test";
import { Type } from "typebox";
import type { Address } from "viem";
import { audit } from "../src/audit/audit.ts";
import { beforeDeletion } from "../src/channels/settings/settings.service.ts";
import { doctor } from "../src/command-line/doctor/doctor.ts";
import { fail } from "../src/errors.ts";
import { route } from "../src/http/route.ts";
import type { Module } from "../src/module.ts";
import { MODULES } from "../src/modules.ts";
import { eraseAll } from "../src/privacy/erasing.ts";
import { payoutRequests } from "../src/red-packets/claim/payout-port.ts";
import { wholeList } from "../src/user-export.ts";
import { Anvil } from "./support/chains/anvil.ts";
import { evmSettings } from "./support/chains/evm.ts";
import { TREASURY } from "./support/chains/paying-server.ts";
import { temporaryFolder } from "./support/config.ts";
import { expectError } from "./support/expect-error.ts";
import { eventually, PASSWORD, startTestServer } from "./support/servers/test-server.ts";

declare module "../src/audit/audit.ts" {
  interface AuditActs {
    poll_close: true;
  }
}

/** A feature that the product does not have. It notes what the server does with it. */
function inventPolls() {
  const noted: string[] = [];
  const polls: Module = {
    name: "polls",
    routes: [
      route({
        name: "getPoll",
        method: "GET",
        path: "/api/polls/:poll_id",
        summary: "Read a poll.",
        tag: "Polls",
        auth: "session",
        documentedActs: "read history",
        params: Type.Object({ poll_id: Type.Integer() }),
        answers: { 200: Type.Object({ success: Type.Literal(true), poll_id: Type.Integer() }) },
        errors: [],
        async handle({ ctx, caller, params }) {
          await audit(ctx, caller, "poll_close", `message:${params.poll_id}`);
          return { poll_id: params.poll_id };
        },
      }),
    ],
    tags: { Polls: "Questions to a channel." },
    guide: [
      { name: "polls", part: "agents", about: "asking a channel", text: async () => ({ default: "# Polls\n\nAsk." }) },
    ],
    erase: {
      async votes(_ctx, { username }) {
        noted.push(`erase ${username}`);
        return null;
      },
    },
    exports: { votes: wholeList(async (_ctx, { username }) => [{ vote_of: username }]) },
    doctor: [async () => [{ check: "polls", state: "ok", text: "none is open" }]],
    register(ctx) {
      noted.push("register");
      beforeDeletion(ctx, async () => {
        throw fail("forbidden");
      });
    },
    start(ctx) {
      noted.push("start");
      ctx.onClose(() => void noted.push("close"));
    },
  };
  return { noted, modules: [...MODULES, polls] };
}

test("a new module is served, documented, exported and erased with one entry in the list", async () => {
  const { noted, modules } = inventPolls();
  {
    await using server = await startTestServer({}, { modules });
    const ann = await server.user("ann");
    expect((await ann.get("/api/polls/7")).body).toMatchObject({ success: true, poll_id: 7 });
    expect(await server.ctx.db.selectFrom("audit_log").select("action").execute()).toEqual([{ action: "poll_close" }]);
    const { channel_id } = (await ann.post("/api/channels", { name: "tea" })).body;
    expectError(await ann.delete(`/api/channels/${channel_id}`), 403, "forbidden");

    const { tags, paths } = (await server.guest.get("/api/openapi.json")).body;
    expect(tags).toContainEqual({ name: "Polls", description: "Questions to a channel." });
    expect(paths["/api/polls/{poll_id}"].get).toMatchObject({ tags: ["Polls"], operationId: "getPoll" });
    expect((await server.guest.get("/guide/polls.md")).body).toContain("Ask.");
    for (const page of ["/llms.txt", "/skill.md"])
      expect((await server.guest.get(page)).body).toContain("/guide/polls.md");
    expect((await server.guest.get("/llms-full.txt")).body).toContain("# Polls");

    const bob = await server.user("bob");
    const copy = (await bob.get("/api/user/bob/export")).body;
    expect(copy).toMatchObject({ votes: [{ vote_of: "bob" }], counts: { votes: 1, messages: 0 }, complete: true });
    expect((await bob.delete("/api/user/bob", { body: { password: PASSWORD } })).status).toBe(200);
    await eraseAll(server.ctx);
  }
  expect(noted).toEqual(["register", "start", "erase bob", "close"]);
});

test("the doctor runs the checks of a new module", async () => {
  const lines: string[] = [];
  const env = { PARLEY_DATA_DIR: temporaryFolder(), PORT: "0", PARLEY_BLUESKY_API_URL: "off" };
  const unused = { stdin: process.stdin, err() {}, outIsTerminal: false, folder: "/", positionals: [] };
  await doctor({ ...unused, env, values: {}, out: (text) => void lines.push(text) }, inventPolls().modules);
  expect(lines.join("")).toContain("polls: none is open");
});

/** Returns the list in an order that depends on `seed` alone. */
function shuffled(seed: number): Module[] {
  const placed = MODULES.map((module, at) => ({ module, place: (at * seed + seed) % 37 }));
  return placed.sort((one, other) => one.place - other.place).map(({ module }) => module);
}

test.each([
  ["reversed", MODULES.toReversed()],
  ["shuffled", shuffled(11)],
  ["shuffled in another way", shuffled(23)],
])("a server whose modules are %s works from the first account to its erasure", async (_, modules) => {
  expect(new Set(modules)).toEqual(new Set(MODULES));
  await using server = await startTestServer({ agentLoopLimit: 0 }, { modules });
  const [ann, bob] = [await server.user("ann"), await server.user("bob")];
  const sent = await ann.post("/api/messages", { channel_slug: "general", content: "Tea, @bob?" });
  expect(sent.status).toBe(201);
  await eventually("bob is notified", async () => {
    return (await bob.get("/api/notifications")).body.notifications.length === 1;
  });
  await eventually("the message is found", async () => {
    return (await bob.get("/api/search/messages?q=tea")).body.messages.length === 1;
  });
  const copy = (await ann.get("/api/user/ann/export")).body;
  expect(copy.messages).toHaveLength(1);
  expect((await ann.delete("/api/user/ann", { body: { password: PASSWORD } })).status).toBe(200);
  await eraseAll(server.ctx);
  const { messages } = (await bob.get(`/api/messages?channel_id=${copy.messages[0].channel_id}`)).body;
  expect(messages).toMatchObject([{ username: "deleted-user" }]);
});

test("payouts and payments wait for the chains, wherever these are in the list", async () => {
  await using anvil = await Anvil.start();
  const usdc: Address = await anvil.token("USDC", 6, [], 0n);
  for (const modules of [MODULES, MODULES.toReversed()]) {
    await using server = await startTestServer(
      { ...evmSettings(anvil.url, usdc), paymentRecipients: [TREASURY] },
      { modules },
    );
    expect(payoutRequests.find(server.ctx)).not.toBeNull();
    expect((await server.guest.get("/api/chains")).body.chains).not.toEqual([]);
  }
});

test("every module has a name of its own, and no two of them give the same thing", () => {
  const twice = (names: readonly string[]) => names.filter((name, at) => names.indexOf(name) !== at);
  const keysOf = (part: "tags" | "erase" | "exports") => MODULES.flatMap((module) => Object.keys(module[part] ?? {}));
  expect(twice(MODULES.map(({ name }) => name))).toEqual([]);
  for (const part of ["tags", "erase", "exports"] as const) expect(twice(keysOf(part))).toEqual([]);
});
