import { expect, test } from "bun:test";
import { COMMAND_LINE } from "../../src/audit/audit.ts";
import { pauseAtCommandLine } from "../../src/key-claims/owned-agents.service.ts";
import { eraseAll, SETTLE_MS } from "../../src/privacy/erasing.ts";
import { codeByName } from "../../src/setup-codes/make-code.service.ts";
import { stillClock } from "../support/clock.ts";
import { eachDatabase } from "../support/databases.ts";
import { expectError } from "../support/expect-error.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import { type Client, type Named, PASSWORD, startTestServer } from "../support/servers/test-server.ts";
import { setLevel, staff } from "../support/staff.ts";
import { BY_NAME, CLAIM, codeFor, LOOK, ownerOf } from "./scene.ts";

const KEYS = "/api/agenthub/agent-api-key";

/** The events that end a setup code before it expires (protocol §16.1). */
eachDatabase(async (_, open) => {
  const clock = stillClock();
  const server = await forAllTests(startTestServer({ rateLimits: "off" }, { database: await open(), clock }));
  const { guest, ctx } = server;
  const ruth = await staff(server, "ruth", 3);

  interface Place {
    owner: Named;
    agentId: number;
    key: string;
    keyId: string;
  }
  const pause = (caller: Client, { agentId }: Place, paused: boolean) =>
    caller.put(`/api/agents/${agentId}`, { paused });
  const suspend = ({ owner }: Place, until: string | null) =>
    ruth.put(`/api/admin/users/${owner.username}`, { suspended_until: until });

  const ENDS: readonly (readonly [string, (place: Place) => Promise<unknown>])[] = [
    ["its owner revokes a key", ({ owner, keyId }) => owner.delete(`${KEYS}/${keyId}`)],
    ["the agent replaces its key", ({ owner, agentId }) => owner.post(`${KEYS}/rotate`, { agent_id: agentId })],
    ["its owner pauses it", (place) => pause(place.owner, place, true)],
    [
      "its owner pauses it and resumes it",
      async (place) => {
        await pause(place.owner, place, true);
        await pause(place.owner, place, false);
      },
    ],
    [
      "the operator pauses it and resumes it",
      async ({ agentId }) => {
        await pauseAtCommandLine(ctx, agentId, true);
        await pauseAtCommandLine(ctx, agentId, false);
      },
    ],
    ["its owner gives it up", ({ owner, agentId }) => owner.delete(`/api/agents/${agentId}/owner`)],
    ["its owner is suspended", (place) => suspend(place, "2100-01-01T00:00:00.000Z")],
    [
      "its owner's account is deleted",
      ({ owner }) => owner.send("DELETE", `/api/user/${owner.username}`, { body: { password: PASSWORD } }),
    ],
  ];

  test.each(ENDS)("a code of an agent ends when %s", async (_, end) => {
    const { owner, agentId, key } = await ownerOf(server);
    const [{ keys }] = (await owner.get("/api/agents")).body.agents;
    const { code } = (await owner.post(`/api/agents/${agentId}/setup-codes`)).body;
    expect((await guest.post(LOOK, { code })).status).toBe(200);
    const answer = await end({ owner, agentId, key, keyId: keys[0].key_id });
    if (answer !== undefined) expect((answer as { status: number }).status).toBeLessThan(300);
    // An erasure forgets the code soon; until then it has ended.
    for (const path of [LOOK, CLAIM]) {
      const refused = await guest.post(path, { code });
      expect([404, 410]).toContain(refused.status);
      expect(["setup_code_expired", "setup_code_not_found"]).toContain(refused.body.code);
    }
    const live = await ctx.db.selectFrom("api_keys").select("id").where("agent_id", "=", agentId).execute();
    expect(live.length).toBeLessThanOrEqual(2);
  });

  test("a code for a name that is held ends with its owner, and frees the name", async () => {
    const ann = await server.newUser();
    const code = await codeFor(ann, "Nobodys Now");
    const gone = await ann.send("DELETE", `/api/user/${ann.username}`, { body: { password: PASSWORD } });
    expect(gone.status).toBeLessThan(300);
    expect((await guest.post(CLAIM, { code })).status).toBeOneOf([404, 410]);
    const bob = await server.newUser();
    clock.set(SETTLE_MS);
    await eraseAll(ctx);
    const answer = await bob.post(BY_NAME, { agent_name: "Nobodys Now" });
    expect(answer.status).toBe(201);
  });

  test("an administrator's code ends with their level, and the operator's does not", async () => {
    const { name } = await ownerOf(server);
    const rita = await staff(server, `rita_${clock.now()}`, 2);
    const [theirs, operators] = [
      await codeFor(rita, name),
      (await codeByName(ctx, COMMAND_LINE, { agentName: name, grant: {} })).code,
    ];
    expect((await guest.post(LOOK, { code: theirs })).status).toBe(200);
    await setLevel(server, rita.username, 1);
    expectError(await guest.post(CLAIM, { code: theirs }), 410, "setup_code_expired");
    expect((await guest.post(CLAIM, { code: operators })).status).toBe(201);
  });

  test("a code for a paused agent is not made", async () => {
    const place = await ownerOf(server);
    await place.owner.put(`/api/agents/${place.agentId}`, { paused: true });
    const made = await place.owner.post(`/api/agents/${place.agentId}/setup-codes`);
    expectError(made, 403, "agent_paused");
    expectError(await ruth.post(BY_NAME, { agent_name: place.name }), 403, "agent_paused");
  });

  test("a key that only expired ends no code", async () => {
    const owner = await server.newUser();
    const expires_at = new Date(clock.now() + 60_000).toISOString();
    const short = await guest.post(CLAIM, { code: await codeFor(owner, `Short of ${owner.username}`, { expires_at }) });
    const { code } = (await owner.post(`/api/agents/${short.body.agent_id}/setup-codes`)).body;
    clock.set(61_000);
    expect((await guest.post(CLAIM, { code })).status).toBe(201);
  });

  test("a code ends with the key that it would give", async () => {
    const owner = await server.newUser();
    const expires_at = new Date(clock.now() + 60_000).toISOString();
    const code = await codeFor(owner, `Brief of ${owner.username}`, { expires_at });
    clock.set(60_000);
    expectError(await guest.post(CLAIM, { code }), 410, "setup_code_expired");
  });
});

test("without agents per user, only administrators make a code for a new agent", async () => {
  await using server = await startTestServer({ agentsPerUser: 0 });
  const [ann, ruth] = [await server.newUser(), await staff(server, "ruth", 2)];
  expectError(await ann.post(BY_NAME, { agent_name: "Mine" }), 403, "forbidden");
  const code = await codeFor(ruth, "Anns", { owner_username: ann.username });
  const claimed = await server.guest.post(CLAIM, { code });
  // Their own agent gets codes as before.
  expect((await ann.post(`/api/agents/${claimed.body.agent_id}/setup-codes`)).status).toBe(201);
});
