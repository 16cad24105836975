import { describe, expect, test } from "bun:test";
import { agentActivity } from "../../src/key-claims/owned-agents.service.ts";
import { CLAIM, type ClaimedAgent, ClaimWorld } from "../support/browser/claim-walk.ts";
import { cli, cliProcess } from "../support/cli.ts";
import { temporaryFolder } from "../support/config.ts";
import { expectError } from "../support/expect-error.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import { EventReader } from "../support/servers/event-reader.ts";
import { type Client, eventually } from "../support/servers/test-server.ts";

/** Protocol §5 over real HTTP: what owners, moderators and the command line can see and do with agents. */
const world = await forAllTests(ClaimWorld.start());
const ann = await world.server.user("ann");
const bob = await world.server.user("bob");
const mod = await world.staff("mona", 1);

let people = 0;
const someone = () => `person${++people}.example.com`;
const mentions = (agent: Client) => agent.get("/api/agenthub/mentions");
const pause = (caller: Client, agent: ClaimedAgent, paused = true) =>
  caller.put(`/api/agents/${agent.agentId}`, { paused });
const say = (agent: Client, agent_name: string) =>
  agent.post("/api/agenthub/send", { channel_slug: "general", message: "hello", agent_name });
const login = (agent: Client, agent_name: string) =>
  agent.post("/api/agenthub/login", { channel_slug: "general", agent_name });
const online = async () => JSON.stringify((await ann.get("/api/channels/1/online")).body.users);
const audited = async (agent: ClaimedAgent) => {
  const lines = world.server.ctx.db.selectFrom("audit_log").select(["actor", "action"]);
  const found = await lines.where("subject", "=", `agent:${agent.agentId}`).orderBy("id").execute();
  return found.map(({ actor, action }) => `${actor} ${action}`);
};

describe("GET /api/agents", () => {
  test("returns the user's agents with keys, last use, channels and counts", async () => {
    const cleo = await world.server.user("cleo");
    const empty = await cleo.get("/api/agents");
    expect(empty.body).toEqual({ success: true, agents: [], has_more: false, next_offset: null, limit: 50 });
    const agent = await world.claim(someone(), cleo);
    await login(agent, "Cleos Bot");
    for (let n = 0; n < 3; n++) expect((await say(agent, "Cleos Bot")).status).toBe(201);
    await agentActivity(world.server.ctx).flush();
    const answer = await cleo.get("/api/agents");
    const [own] = answer.body.agents;
    expect(own).toMatchObject({
      agent_id: agent.agentId,
      agent_names: ["Cleos Bot"],
      owner_username: "cleo",
      owner_verified: true,
      paused: false,
      channels: [{ channel_id: 1, channel_slug: "general", is_online: true, message_count: 3 }],
    });
    expect(own.keys).toHaveLength(1);
    expect(own.keys[0].key_id).toBe(agent.keyId);
    expect(own.message_count).toBe(3);
    expect(own.dropped_mentions).toBe(0);
    await world.server.ctx.db
      .updateTable("agents")
      .set({ dropped_mentions: 7 })
      .where("id", "=", agent.agentId)
      .execute();
    expect((await cleo.get("/api/agents")).body.agents[0].dropped_mentions).toBe(7);
    expect(JSON.stringify(answer.body)).not.toContain(agent.apiKey.slice(20));
    // Only its verified owner sees where an agent is and which keys it has.
    expect((await ann.get("/api/agents")).body.agents).toEqual([]);
  });

  test("returns only the existence of agents that name the user as a label", async () => {
    const dora = await world.server.user("dora");
    const agent = await world.claimLabelled(someone(), "dora");
    await login(agent, "Namer");
    const { body } = await dora.get("/api/agents");
    expect(body.agents).toEqual([
      expect.objectContaining({
        owner_verified: false,
        keys: null,
        channels: null,
        message_count: null,
        dropped_mentions: null,
      }),
    ]);
  });

  test("is paged, and requires a session", async () => {
    const eli = await world.server.user("eli");
    const made = [];
    for (let n = 0; n < 3; n++) made.push((await world.claim(someone(), eli)).agentId);
    const ids = (body: { agents: { agent_id: number }[] }) => body.agents.map(({ agent_id }) => agent_id);
    const first = (await eli.get("/api/agents?limit=2")).body;
    expect([ids(first), first.has_more, first.next_offset]).toEqual([made.slice(1).reverse(), true, 2]);
    const rest = (await eli.get("/api/agents?limit=2&offset=2")).body;
    expect([ids(rest), rest.has_more]).toEqual([made.slice(0, 1), false]);
    expectError(await eli.get("/api/agents?limit=0"), 400, "invalid_limit");
    expectError(await eli.get("/api/agents?offset=-1"), 400, "invalid_cursor");
    for (const caller of [world.server.guest, await world.claim(someone())])
      expectError(await caller.get("/api/agents"), 401, "session_required");
  });
});

describe("PUT /api/agents/:agent_id", () => {
  test("pauses an agent: refuses its key at once, ends its streams and removes it from the online list, until it is resumed", async () => {
    const agent = await world.claim(someone(), ann);
    await login(agent, "Sleeper");
    const stream = await EventReader.open(world.server.url, agent.credential);
    const waiting = agent.get("/api/agenthub/mentions?wait=20");
    const answer = await pause(ann, agent);
    expect(answer.body.agent).toMatchObject({ agent_id: agent.agentId, paused: true });
    expectError(await mentions(agent), 403, "agent_paused");
    expectError(await waiting, 403, "agent_paused");
    await stream.ended;
    await eventually("it is off the list", async () => !(await online()).includes("Sleeper"));
    expect((await pause(ann, agent)).status).toBe(200);
    expect((await pause(ann, agent, false)).body.agent.paused).toBe(false);
    expect((await mentions(agent)).status).toBe(200);
    expect(await online()).not.toContain("Sleeper");
    expect(await audited(agent)).toEqual([]);
  });

  test("audits a moderator's pause, which the owner cannot end", async () => {
    const agent = await world.claim(someone(), ann);
    await pause(ann, agent);
    expect((await pause(mod, agent)).status).toBe(200);
    expectError(await pause(ann, agent, false), 403, "forbidden");
    expectError(await mentions(agent), 403, "agent_paused");
    expect((await pause(mod, agent, false)).status).toBe(200);
    expect((await mentions(agent)).status).toBe(200);
    expect(await audited(agent)).toEqual(["mona agent_pause", "mona agent_resume"]);
  });

  test("keeps an agent paused when its key is recovered", async () => {
    const handle = someone();
    const agent = await world.claim(handle);
    await pause(mod, agent);
    const { body } = await world.recoverAs(handle, agent.agentId);
    expectError(await mentions(world.withKey(body.api_key)), 403, "agent_paused");
  });

  test("is refused to everybody else, and without a change", async () => {
    const [agent, named] = [await world.claim(someone(), ann), await world.claimLabelled(someone(), "bob")];
    expectError(await pause(bob, agent), 403, "forbidden");
    expectError(await pause(bob, named), 403, "forbidden");
    expectError(await pause(agent, agent), 401, "session_required");
    expectError(await ann.put("/api/agents/99999", { paused: true }), 404, "agent_not_found");
    expectError(await ann.put("/api/agents/x", { paused: true }), 400, "invalid_id");
    expectError(await ann.put(`/api/agents/${agent.agentId}`, {}), 400, "no_fields");
    expectError(await ann.put(`/api/agents/${agent.agentId}`, { paused: "yes" }), 400, "invalid_request");
    expectError(await ann.put(`/api/agents/${agent.agentId}`, { owner_verified: true }), 400, "field_not_writable");
    expect((await mentions(agent)).status).toBe(200);
  });
});

describe("DELETE /api/agents/:agent_id/owner", () => {
  const disown = (caller: Client, agentId: number) => caller.delete(`/api/agents/${agentId}/owner`);

  test("removes the name of the user who is named as owner", async () => {
    const named = await world.claimLabelled(someone(), "bob");
    const status = () => bob.get("/api/agenthub/agent-api-key", { headers: { "x-username": "bob" } });
    expect((await status()).body.has_key).toBe(true);
    expectError(await disown(ann, named.agentId), 403, "forbidden");
    const answer = await disown(bob, named.agentId);
    expect(answer.body.agent).toMatchObject({ owner_username: null, owner_verified: false });
    expect((await status()).body.keys.map(({ key_id }: { key_id: string }) => key_id)).not.toContain(named.keyId);
    expectError(await disown(bob, named.agentId), 403, "forbidden");
    expect((await mentions(named)).status).toBe(200);
  });

  test("also removes the user's rights over the agent", async () => {
    const agent = await world.claim(someone(), ann);
    expect((await disown(ann, agent.agentId)).status).toBe(200);
    expectError(await pause(ann, agent), 403, "forbidden");
    expectError(await disown(ann, 99_999), 404, "agent_not_found");
    expectError(await disown(world.server.guest, agent.agentId), 401, "session_required");
  });
});

describe("the command line beside a server", () => {
  const run = async (...words: string[]) => {
    const { code, out, err } = await cli([...words, "--json"], { PARLEY_DATA_DIR: world.server.config.dataDir });
    expect([code, err.replace(/^Database: .*\n$/, "")]).toEqual([0, ""]);
    return JSON.parse(out);
  };

  test("lists, pauses and resumes agents", async () => {
    const agent = await world.claim(someone(), ann);
    await login(agent, "Bench Sitter");
    const listed = (await run("agent", "list")).agents.find(
      (one: { agent_id: number }) => one.agent_id === agent.agentId,
    );
    expect(listed).toMatchObject({
      agent_names: ["Bench Sitter"],
      owner_username: "ann",
      keys: [{ key_id: agent.keyId }],
    });
    const id = String(agent.agentId);
    expect((await run("agent", "pause", id)).agent).toMatchObject({ agent_id: agent.agentId, paused: true });
    await eventually("it is refused", async () => (await mentions(agent)).body.code === "agent_paused", 2_000);
    await eventually("it is off the list", async () => !(await online()).includes("Bench Sitter"));
    expectError(await pause(ann, agent, false), 403, "forbidden");
    await run("agent", "resume", id);
    await eventually("it may go on", async () => (await mentions(agent)).status === 200, 2_000);
    expect(await audited(agent)).toEqual(["command line agent_pause", "command line agent_resume"]);
  });

  test("fills the pool of codes and counts them", async () => {
    const before = await run("codes", "status");
    expect(Object.keys(before)).toEqual(["waiting", "open", "used", "expired", "pool_size"]);
    const { added, waiting } = await run("codes", "fill", "25");
    expect(added).toBe(25);
    expect(waiting).toBeGreaterThanOrEqual(25);
    await world.code();
    expect((await run("codes", "status")).open).toBeGreaterThan(before.open);
  });

  test("checks the pool of codes with the doctor", async () => {
    const look = async (env: Record<string, string>) => {
      const { out } = await cliProcess(["doctor", "--json"], { PORT: "0", PARLEY_BLUESKY_API_URL: "off", ...env });
      const findings: { check: string; state: string; text: string }[] = JSON.parse(out).findings;
      return findings.find(({ check }) => check === "code pool");
    };
    const { dataDir } = world.server.config;
    expect(await look({ PARLEY_DATA_DIR: dataDir, PARLEY_CODE_POOL: "10" })).toMatchObject({ state: "ok" });
    expect(await look({ PARLEY_DATA_DIR: dataDir, PARLEY_CODE_POOL: "100000" })).toMatchObject({ state: "advice" });
    const empty = temporaryFolder();
    await cli(["migrate"], { PARLEY_DATA_DIR: empty });
    expect((await look({ PARLEY_DATA_DIR: empty, PARLEY_CODE_POOL: "0" }))?.text).toContain("codes fill");
  });

  test.each([
    ["an invalid number", ["codes", "fill", "many"], 2, "<count> must be an integer"],
    ["too many codes", ["codes", "fill", "100001"], 2, "<count> must be an integer"],
    ["no id", ["agent", "pause", "Helper"], 2, "<agent_id> must be a positive integer"],
    ["an unknown agent", ["agent", "resume", "99999"], 1, "This agent does not exist"],
  ])("refuses %s and says why", async (_, words, status, text) => {
    const { code, out, err } = await cli(words, { PARLEY_DATA_DIR: world.server.config.dataDir });
    expect([code, out]).toEqual([status, ""]);
    expect(err).toContain(text);
  });

  test("counts valid keys, including those in their grace period", async () => {
    const agent = await world.claim(someone(), ann);
    await login(agent, "Key Ring");
    const counted = async () => (await cli(["agent", "list"], { PARLEY_DATA_DIR: world.server.config.dataDir })).out;
    const rotated = await agent.post(`${CLAIM}/rotate`, { grace_seconds: 3_600 });
    expect(await counted()).toContain("Key Ring  owner ann  2 keys");
    expect((await agent.delete(`${CLAIM}/${rotated.body.key_id}`)).status).toBe(200);
    expect(await counted()).toContain("Key Ring  owner ann  1 key  ");
    await agent.delete(`${CLAIM}/${agent.keyId}`);
    expect(await counted()).toContain("Key Ring  owner ann  0 keys");
  });

  test("prints agents as text", async () => {
    const env = { PARLEY_DATA_DIR: world.server.config.dataDir };
    expect((await cli(["agent", "list"], env)).out).toContain("Bench Sitter  owner ann  1 key  0 messages");
    expect((await cli(["codes", "status"], env)).out).toMatch(/^\d+ in stock; a server keeps 1000\n/);
    expect((await cli(["codes", "fill", "1"], env)).out).toContain("1 codes added");
  });
});
