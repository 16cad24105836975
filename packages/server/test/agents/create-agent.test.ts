import { expect, test } from "bun:test";
import { cli } from "../support/cli.ts";
import { stillClock } from "../support/clock.ts";
import { eachDatabase } from "../support/databases.ts";
import { expectError } from "../support/expect-error.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import { Client, logIn, PASSWORD, startTestServer } from "../support/servers/test-server.ts";
import { auditLines, staff } from "../support/staff.ts";

const KEYS = "/api/agenthub/agent-api-key";
const OLD_MS = 600_001;

/** Protocol §5 over real HTTP: agents that administrators create, list and manage. */
eachDatabase(async (_, open) => {
  const clock = stillClock();
  const server = await forAllTests(startTestServer({}, { database: await open(), clock }));
  const ruth = await staff(server, "ruth", 2);
  const ann = await server.user("ann");

  const create = (caller: Client, body: object, key?: string) =>
    caller.post("/api/agents", body, key === undefined ? {} : { headers: { "idempotency-key": key } });
  const withKey = (key: string) => new Client(server.url, { authorization: `Bearer ${key}` });
  const say = (agent: Client, agent_name: string) =>
    agent.post("/api/agenthub/send", { channel_slug: "general", agent_name, message: "Hello." });
  const noticesOf = async (client: Client) => (await client.get("/api/security-notices")).body.notices;
  const isStored = async (text: string) => {
    const rows = await server.ctx.db.selectFrom("idempotency_keys").select(["response", "body_hash"]).execute();
    return JSON.stringify([rows, await server.ctx.db.selectFrom("api_keys").selectAll().execute()]).includes(text);
  };

  test("an administrator creates an agent with a bound name and a key that works", async () => {
    const answer = await create(ruth, { agent_name: "Scout  One" });
    expect(answer.status).toBe(201);
    const { api_key, key_id, agent_id, agent } = answer.body;
    expect(agent).toMatchObject({
      agent_id,
      agent_names: ["Scout One"],
      owner_username: "ruth",
      owner_verified: true,
      paused: false,
    });
    expect((await say(withKey(api_key), "Scout One")).status).toBe(201);
    expectError(await create(ruth, { agent_name: "scout_one" }), 409, "agent_name_taken");
    expect((await auditLines(server)).at(-1)).toBe(`ruth key_issue key:${key_id}`);
    expect(await noticesOf(ruth)).toMatchObject([{ kind: "api_key_issued", actor: "self", details: { key_id } }]);
    expect(await isStored(api_key.slice(-20))).toBeFalse();
  });

  test("another user can own the agent, and learns who created it", async () => {
    const { body } = await create(ruth, { agent_name: "Anns Helper", owner_username: "ANN" });
    expect(body.agent).toMatchObject({ owner_username: "ann", owner_verified: true });
    const [own] = (await ann.get("/api/agents")).body.agents;
    expect([own.agent_id, own.keys[0].key_id]).toEqual([body.agent_id, body.key_id]);
    expect((await noticesOf(ann))[0]).toMatchObject({ actor: "administrator", actor_username: "ruth" });
  });

  test("a mention of the new name reaches the agent, although the name was looked up when it was free", async () => {
    const mention = () => ann.post("/api/messages", { channel_slug: "general", content: "@Newborn hello" });
    expect((await mention()).body.chat_message.mentions).toEqual([]);
    await create(ruth, { agent_name: "Newborn" });
    expect((await mention()).body.chat_message.mentions).toMatchObject([{ type: "agent", name: "Newborn" }]);
  });

  test("invalid requests have their own codes", async () => {
    expectError(await create(server.guest, { agent_name: "Nobody" }), 401, "session_required");
    const agent = await server.agent("Helper");
    expectError(await create(agent, { agent_name: "Nobody" }), 401, "session_required");
    const mona = await staff(server, "mona", 1);
    for (const caller of [ann, mona]) expectError(await create(caller, { agent_name: "Nobody" }), 403, "forbidden");
    expectError(await create(ruth, {}), 400, "agent_name_required");
    expectError(await create(ruth, { agent_name: "!" }), 400, "invalid_agent_name");
    expectError(await create(ruth, { agent_name: "admin" }), 400, "invalid_agent_name");
    expectError(await create(ruth, { agent_name: "ann" }), 409, "agent_name_taken");
    expectError(await create(ruth, { agent_name: "Nobody", owner_username: "nobody" }), 404, "user_not_found");
    expectError(await create(ruth, { agent_name: "Nobody", owner_username: 1 }), 400, "invalid_request");
    expectError(await create(ruth, { agent_name: "Nobody" }, "short"), 400, "idempotency_key_invalid");
    expect((await create(ruth, { agent_name: "Nobody" })).status).toBe(201);
  });

  test("a repeated request with the same key creates nothing, and does not show the API key again", async () => {
    const body = { agent_name: "Once" };
    const answers = await Promise.all([1, 2].map(() => create(ruth, body, "idempotent-1")));
    answers.push(await create(ruth, body, "idempotent-1"));
    const first = answers.find(({ status }) => status === 201);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 201]);
    for (const answer of answers.filter((each) => each !== first))
      expect(answer.body).toEqual({ ...first?.body, api_key: null, deduplicated: true });
    expect((await say(withKey(first?.body.api_key), "Once")).status).toBe(201);
    expectError(await create(ruth, { agent_name: "Twice" }, "idempotent-1"), 409, "idempotency_conflict");
    expect(await isStored(first?.body.api_key.slice(-20))).toBeFalse();
  });

  test("the password does not count when bodies are compared, because nothing of it is stored", async () => {
    const body = { agent_name: "Confirmed" };
    expect((await create(ruth, { ...body, current_password: PASSWORD }, "password-1")).status).toBe(201);
    expect((await create(ruth, body, "password-1")).body.deduplicated).toBeTrue();
  });

  test("an old session must confirm with the password, to create an agent and to replace a key of another user", async () => {
    const made = (await create(ruth, { agent_name: "Old Friend", owner_username: "ann" })).body;
    clock.advance(OLD_MS);
    expectError(await create(ruth, { agent_name: "Late" }, "confirmed-1"), 403, "reauth_required");
    const wrong = { agent_name: "Late", current_password: "not this one" };
    expectError(await create(ruth, wrong, "confirmed-2"), 403, "reauth_required");
    const confirmed = { agent_name: "Late", current_password: PASSWORD };
    expect((await create(ruth, confirmed, "confirmed-3")).status).toBe(201);
    const again = await create(ruth, { ...confirmed, current_password: "not this one" }, "confirmed-3");
    expectError(again, 403, "reauth_required");
    expect((await create(ruth, confirmed, "confirmed-3")).body).toMatchObject({ api_key: null, deduplicated: true });
    const rotate = (caller: Client, more = {}) => caller.post(`${KEYS}/rotate`, { agent_id: made.agent_id, ...more });
    expectError(await rotate(ruth), 403, "reauth_required");
    expectError(await rotate(ruth, { current_password: "not this one" }), 403, "reauth_required");
    expect((await say(withKey(made.api_key), "Old Friend")).status).toBe(201);
    const { status, body } = await rotate(ruth, { current_password: PASSWORD });
    expect(status).toBe(201);
    expectError(await say(withKey(made.api_key), "Old Friend"), 401, "key_revoked");
    expect((await auditLines(server)).at(-1)).toBe(`ruth key_rotate key:${body.key_id}`);
    expect((await noticesOf(ann))[0]).toMatchObject({ actor: "administrator", details: { key_id: body.key_id } });
    // Owners need no password for their own agents.
    expect((await rotate(ann)).status).toBe(201);
  });

  test("five wrong passwords are refused with 429, and a request with an idempotency key counts, too", async () => {
    const rosa = await staff(server, "rosa", 3);
    const guess = (n: number) => create(rosa, { agent_name: "Guess", current_password: `wrong ${n}` }, `guesses-${n}`);
    for (let n = 0; n < 5; n++) expectError(await guess(n), 403, "reauth_required");
    expectError(await guess(5), 429, "rate_limited");
  });

  test("administrators find agents by the beginning of a name or of the owner's name", async () => {
    const admin = await logIn(server.url, "ruth");
    const find = async (query: string) =>
      (await admin.get(`/api/admin/agents?${query}`)).body.agents.map(
        ({ agent_names }: { agent_names: string[] }) => agent_names[0],
      );
    await create(admin, { agent_name: "Zebra" });
    await create(admin, { agent_name: "Zoo Keeper", owner_username: "ann" });
    expect(await find("prefix=z")).toEqual(["Zoo Keeper", "Zebra"]);
    expect(await find("prefix=ZOO%20k")).toEqual(["Zoo Keeper"]);
    expect(await find("prefix=%25")).toEqual([]);
    const owned = await find("prefix=an");
    expect(owned).toContain("Zoo Keeper");
    expect(owned).toContain("Anns Helper");
    expect(owned).not.toContain("Zebra");
    const { body } = await admin.get("/api/admin/agents?prefix=z&limit=1");
    expect(body).toMatchObject({ has_more: true, next_offset: 1, limit: 1 });
    expect(await find("prefix=z&limit=1&offset=1")).toEqual(["Zebra"]);
    const { agent_id, keys } = body.agents[0];
    expect(keys).toHaveLength(1);
    await admin.put(`/api/agents/${agent_id}`, { paused: true });
    expect(await find("prefix=z&paused=true")).toEqual(["Zoo Keeper"]);
    expect(await find("prefix=z&paused=false")).toEqual(["Zebra"]);
    expectError(await admin.get("/api/admin/agents?limit=0"), 400, "invalid_limit");
    expectError(await admin.get("/api/admin/agents?offset=-1"), 400, "invalid_cursor");
    expectError(await admin.get("/api/admin/agents?paused=maybe"), 400, "invalid_request");
    expectError(await ann.get("/api/admin/agents"), 403, "forbidden");
    expectError(await server.guest.get("/api/admin/agents"), 401, "session_required");
  });
});

test("an administrator can create 20 agents in an hour", async () => {
  await using server = await startTestServer({ rateFactor: 1 });
  const ruth = await staff(server, "ruth", 2);
  for (let n = 0; n < 20; n++) expect((await ruth.post("/api/agents", { agent_name: `Bot ${n}` })).status).toBe(201);
  expectError(await ruth.post("/api/agents", { agent_name: "Bot 20" }), 429, "rate_limited");
});

test("the command line issues keys by the same road", async () => {
  await using server = await startTestServer();
  await server.user("ann");
  const env = { PARLEY_DATA_DIR: server.config.dataDir };
  const { code, out } = await cli(["key", "issue", "--agent", "Scout", "--owner", "ann", "--json"], env);
  expect(code).toBe(0);
  const { api_key, key_id, ...rest } = JSON.parse(out);
  expect(rest).toEqual({ agent_id: 1, agent_name: "Scout" });
  expect(await auditLines(server)).toEqual([`command line key_issue key:${key_id}`]);
  const agent = new Client(server.url, { authorization: `Bearer ${api_key}` });
  expect((await agent.get("/api/agenthub/mentions")).status).toBe(200);
});
