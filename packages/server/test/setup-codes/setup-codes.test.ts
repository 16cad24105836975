import { expect, test } from "bun:test";
import { OPEN_SETUP_CODES_MAX } from "@parley/protocol/setup-codes";
import { stillClock } from "../support/clock.ts";
import { eachDatabase } from "../support/databases.ts";
import { expectError } from "../support/expect-error.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import { newChannel } from "../support/new-channel.ts";
import { startTestServer } from "../support/servers/test-server.ts";
import { auditLines, staff } from "../support/staff.ts";
import { agentsOf, BY_NAME, CLAIM, codeFor, LOOK, MINUTE_MS, ownerOf, withKey } from "./scene.ts";

const OLD_MS = 600_001;

/** Protocol §16.1 over real HTTP. */
eachDatabase(async (_, open) => {
  const clock = stillClock();
  const server = await forAllTests(startTestServer({ rateLimits: "off" }, { database: await open(), clock }));
  const { guest } = server;
  const claim = (code: string, headers = {}) => guest.post(CLAIM, { code }, { headers });

  test("a member makes an agent of their own, which a program sets up with the code alone", async () => {
    const ann = await server.newUser();
    const made = await ann.post(BY_NAME, { agent_name: "First  Helper" });
    expect([made.status, made.headers.get("cache-control")]).toEqual([201, "no-store"]);
    const { code, setup_url, qr_svg, agent_id, agent_name, expires_at } = made.body;
    expect(code).toMatch(/^[0-9A-HJKMNP-TV-Z]{4}(-[0-9A-HJKMNP-TV-Z]{4}){2}$/);
    expect([setup_url, agent_id, agent_name]).toEqual([`${server.url}/setup#${code}`, null, "First Helper"]);
    expect(Date.parse(expires_at)).toBe(clock.now() + 10 * MINUTE_MS);
    expect(qr_svg).toStartWith("<svg");
    expect(await agentsOf(ann)).toEqual([]);

    const claimed = await claim(code);
    expect([claimed.status, claimed.headers.get("cache-control")]).toEqual([201, "no-store"]);
    expect(claimed.body).toMatchObject({
      agent_name: "First Helper",
      api_url: server.url,
      mcp_url: `${server.url}/mcp`,
      telegram: { token: expect.stringMatching(/^70\d{8}:ply_/), api_root: `${server.url}/telegram` },
      scopes: null,
      channels: null,
      expires_at: null,
    });
    const [agent] = await agentsOf(ann);
    expect(agent).toMatchObject({
      agent_id: claimed.body.agent_id,
      agent_names: ["First Helper"],
      owner_verified: true,
      keys: [{ key_id: claimed.body.key_id }],
    });
    const send = { channel_slug: "general", agent_name: "First Helper", message: "Hello." };
    const sent = await withKey(server, claimed.body.api_key).post("/api/agenthub/send", send);
    expect(sent.status).toBe(201);
  });

  test("a code is read in any case, with or without hyphens, and O, I and L are digits", async () => {
    const ann = await server.newUser();
    const code = await codeFor(ann, "Typed By Hand");
    const typed = ` ${code.toLowerCase().replaceAll("-", " ").replaceAll("0", "o").replaceAll("1", "l")} `;
    expect((await claim(typed)).status).toBe(201);
  });

  test("the key has the limits that the code was made with", async () => {
    const ann = await server.newUser();
    const { slug } = await newChannel(ann);
    const expires_at = new Date(clock.now() + 86_400_000).toISOString();
    const grant = { scopes: ["send", "read"], channels: [slug], expires_at };
    const code = await codeFor(ann, "Limited Helper", grant);
    const terms = { scopes: ["read", "send"], channels: [slug] };
    const looked = await guest.post(LOOK, { code });
    expect(looked.body).toMatchObject({
      ...terms,
      key_expires_at: expires_at,
      agent_name: "Limited Helper",
      owner_username: ann.username,
    });
    const claimed = await claim(code);
    expect(claimed.body).toMatchObject({ ...terms, expires_at });
    const say = (channel_slug: string) =>
      withKey(server, claimed.body.api_key).post("/api/agenthub/send", { channel_slug, message: "Hello." });
    expect((await say(slug)).status).toBe(201);
    expectError(await say("general"), 403, "channel_not_in_scope");
  });

  test("looking at a code does not use it", async () => {
    const ann = await server.newUser();
    const code = await codeFor(ann, "Looked At");
    for (let n = 0; n < 3; n++) expect((await guest.post(LOOK, { code })).status).toBe(200);
    expect((await claim(code)).status).toBe(201);
    expectError(await guest.post(LOOK, { code }), 410, "setup_code_used");
  });

  test("a malformed code and one that does not exist have the same answer", async () => {
    for (const path of [CLAIM, LOOK]) {
      const answers = await Promise.all(
        ["0000-0000-0000", "UUUU-UUUU-UUUU", "x", "0000-0000-00001", "'; drop table users", "a".repeat(65)].map(
          (code) => guest.post(path, { code }),
        ),
      );
      for (const answer of answers) expectError(answer, 404, "setup_code_not_found");
      expect(new Set(answers.map(({ body }) => body.error)).size).toBe(1);
      expectError(await guest.post(path, { code: 1 }), 404, "setup_code_not_found");
      expectError(await guest.post(path, {}), 404, "setup_code_not_found");
    }
  });

  test("a code is used once, and expires after ten minutes", async () => {
    const ann = await server.newUser();
    const used = await codeFor(ann, "Used Once");
    expect((await claim(used)).status).toBe(201);
    expectError(await claim(used), 410, "setup_code_used");
    const [first, second] = [await codeFor(ann, "On Time"), await codeFor(ann, "Too Late")];
    clock.set(10 * MINUTE_MS - 1);
    expect((await claim(first)).status).toBe(201);
    clock.set(1);
    for (const path of [CLAIM, LOOK]) expectError(await guest.post(path, { code: second }), 410, "setup_code_expired");
    expectError(await claim(used), 410, "setup_code_used");
  });

  test("of 20 claims at once, one gets a key", async () => {
    const ann = await server.newUser();
    const code = await codeFor(ann, "Raced");
    const answers = await Promise.all(Array.from({ length: 20 }, () => claim(code)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, ...Array.from({ length: 19 }, () => 410)]);
    for (const { status, body } of answers) if (status === 410) expect(body.code).toBe("setup_code_used");
    const [agent, ...others] = await agentsOf(ann);
    expect([agent.keys.length, others]).toEqual([1, []]);
  });

  test("all open codes for a name that was free give keys of one agent", async () => {
    const ann = await server.newUser();
    const codes = await Promise.all(Array.from({ length: OPEN_SETUP_CODES_MAX }, () => codeFor(ann, "Many Doors")));
    const claimed = await Promise.all(codes.map((code) => claim(code)));
    expect(claimed.map(({ status }) => status)).toEqual(codes.map(() => 201));
    expect(new Set(claimed.map(({ body }) => body.agent_id)).size).toBe(1);
    const [agent] = await agentsOf(ann);
    expect([agent.keys.length, agent.agent_names]).toEqual([codes.length, ["Many Doors"]]);
  });

  test("a name is held while its code is open, mentions nobody, and is free afterwards", async () => {
    const [ann, bob] = [await server.newUser(), await server.newUser()];
    await codeFor(ann, "Kept Name");
    expectError(await bob.post(BY_NAME, { agent_name: "kept_name" }), 409, "agent_name_taken");
    const lookAlike = await bob.post(BY_NAME, { agent_name: "Kept Narne" });
    expectError(lookAlike, 409, "agent_name_taken");
    const agent = await server.agent();
    const say = { channel_slug: "general", agent_name: "Kept Name", message: "Mine." };
    expectError(await agent.post("/api/agenthub/send", say), 409, "agent_name_taken");
    const mention = await bob.post("/api/messages", { channel_slug: "general", content: "@Kept_Name hello" });
    expect(mention.body.chat_message.mentions).toEqual([]);
    clock.set(10 * MINUTE_MS);
    const code = await codeFor(bob, "Kept Name");
    expect((await claim(code)).status).toBe(201);
    const after = await ann.post("/api/messages", { channel_slug: "general", content: "@Kept_Name hello" });
    expect(after.body.chat_message.mentions).toMatchObject([{ type: "agent", name: "Kept Name" }]);
  });

  test("the owner makes a code for an agent that exists, which keeps its other keys", async () => {
    const { owner, agentId, name, key } = await ownerOf(server);
    const made = await owner.post(`/api/agents/${agentId}/setup-codes`, {});
    expect(made.body).toMatchObject({ agent_id: agentId, agent_name: name });
    const claimed = await claim(made.body.code);
    expect(claimed.body).toMatchObject({ agent_id: agentId, agent_name: name });
    for (const each of [key, claimed.body.api_key])
      expect((await withKey(server, each).get("/api/agenthub/me")).status).toBe(200);
    expect((await server.ctx.db.selectFrom("setup_codes").selectAll().execute()).length).toBeGreaterThan(0);
  });

  test("only the verified owner may make a code for an agent by its id", async () => {
    const { owner, agentId } = await ownerOf(server);
    const path = `/api/agents/${agentId}/setup-codes`;
    const [ruth, bob] = [await staff(server, `ruth${agentId}`, 2), await server.newUser()];
    for (const other of [ruth, bob]) expectError(await other.post(path, {}), 403, "forbidden");
    expectError(await guest.post(path, {}), 401, "session_required");
    expectError(await owner.post("/api/agents/999999999/setup-codes", {}), 404, "agent_not_found");
    expectError(await owner.post(path, { channels: ["no-such-channel"] }), 404, "channel_not_found");
    expectError(await owner.post(path, { expires_at: "2001-01-01T00:00:00.000Z" }), 400, "invalid_request");
    expectError(await owner.post(path, { current_password: "wrong" }), 403, "reauth_required");
    expectError(await owner.post(path, { scopes: [] }), 400, "invalid_request");
  });

  test("an administrator makes a code for anybody's agent by its name, which the audit log shows", async () => {
    const { owner, agentId, name } = await ownerOf(server);
    const ruth = await staff(server, `rita${agentId}`, 2);
    const code = await codeFor(ruth, name);
    const claimed = await claim(code);
    expect(claimed.body.agent_id).toBe(agentId);
    const lines = (await auditLines(server)).slice(-2);
    expect(lines[0]).toStartWith(`rita${agentId} setup_code_make setup_code:`);
    expect(lines[1]).toBe(`rita${agentId} setup_code_claim key:${claimed.body.key_id}`);
    const [notice] = (await owner.get("/api/security-notices")).body.notices;
    expect(notice).toMatchObject({ kind: "api_key_issued", actor: "administrator", actor_username: ruth.username });
    const other = await server.newUser();
    const wrong = await ruth.post(BY_NAME, { agent_name: name, owner_username: other.username });
    expectError(wrong, 409, "agent_name_taken");
    const forOther = await codeFor(ruth, `For ${other.username}`, { owner_username: other.username });
    expect((await claim(forOther)).status).toBe(201);
    expect(await agentsOf(other)).toMatchObject([{ owner_username: other.username, owner_verified: true }]);
  });

  test("an administrator whose login is old confirms with the password; a member need not", async () => {
    const [ruth, ann] = [await staff(server, "rosa", 2), await server.newUser()];
    clock.set(OLD_MS);
    expectError(await ruth.post(BY_NAME, { agent_name: "Late One" }), 403, "reauth_required");
    expect(
      (await ruth.post(BY_NAME, { agent_name: "Late One", current_password: "correct horse battery" })).status,
    ).toBe(201);
    expect((await ann.post(BY_NAME, { agent_name: "Late Two" })).status).toBe(201);
  });

  test("invalid requests for a name have their own codes", async () => {
    const [ann, ruth] = [await server.newUser(), await staff(server, "rhea", 2)];
    const make = (caller: typeof ann, body: object) => caller.post(BY_NAME, body);
    expectError(await guest.post(BY_NAME, { agent_name: "Nobody" }), 401, "session_required");
    expectError(await make(ann, {}), 400, "agent_name_required");
    for (const agent_name of ["!", "admin", "PlatformAgent", "adm1n"])
      expectError(await make(ann, { agent_name }), 400, "invalid_agent_name");
    expectError(await make(ann, { agent_name: ann.username }), 409, "agent_name_taken");
    expectError(await make(ann, { agent_name: "Of Others", owner_username: "rhea" }), 403, "forbidden");
    expectError(await make(ruth, { agent_name: "Of Others", owner_username: "nobody" }), 404, "user_not_found");
    expectError(await make(ann, { agent_name: "Of Others", channels: ["hidden-one"] }), 404, "channel_not_found");
    expect((await make(ann, { agent_name: "Of Others", owner_username: ann.username })).status).toBe(201);
  });

  test("a member owns at most five agents, of which held names count, and expired ones do not", async () => {
    const ann = await server.newUser();
    const names = ["One", "Two", "Three", "Four", "Five"].map((name) => `${name} of ${ann.username}`);
    const codes: string[] = [];
    for (const name of names) codes.push(await codeFor(ann, name));
    expectError(await ann.post(BY_NAME, { agent_name: "Sixth" }), 409, "agent_limit_reached");
    // Another code for a name that is held makes no other agent.
    expect((await ann.post(BY_NAME, { agent_name: names[4] })).status).toBe(201);
    for (const code of codes.slice(0, 4)) expect((await claim(code)).status).toBe(201);
    clock.set(10 * MINUTE_MS);
    const fifth = await claim(await codeFor(ann, names[4] ?? ""));
    expect(fifth.status).toBe(201);
    expectError(await ann.post(BY_NAME, { agent_name: "Sixth" }), 409, "agent_limit_reached");
    // A code for one of them is permitted.
    expect((await ann.post(`/api/agents/${fifth.body.agent_id}/setup-codes`, {})).status).toBe(201);
    await ann.delete(`/api/agents/${fifth.body.agent_id}/owner`);
    expect((await ann.post(BY_NAME, { agent_name: "Sixth" })).status).toBe(201);
  });

  test("five codes of an agent are open at most; a used or expired one makes room", async () => {
    const { owner, agentId } = await ownerOf(server);
    const make = () => owner.post(`/api/agents/${agentId}/setup-codes`);
    const codes: string[] = [];
    for (let n = 0; n < OPEN_SETUP_CODES_MAX; n++) codes.push((await make()).body.code);
    expectError(await make(), 409, "setup_code_limit_reached");
    expect((await claim(codes[0] ?? "")).status).toBe(201);
    expect((await make()).status).toBe(201);
    expectError(await make(), 409, "setup_code_limit_reached");
    clock.set(10 * MINUTE_MS);
    expect((await make()).status).toBe(201);
  });

  test("the notice to the owner names the claimer, and its id undoes the claim", async () => {
    const { owner, agentId, name } = await ownerOf(server);
    const { code } = (await owner.post(`/api/agents/${agentId}/setup-codes`)).body;
    const claimed = await claim(code, { "user-agent": "night-owl/1.0 (é)" });
    const [notification] = (await owner.get("/api/notifications")).body.notifications;
    const { notice } = notification;
    expect(notice).toMatchObject({ code: "setup_code_claimed", subject: name });
    const [keyId, network, ...program] = notice.detail.split(" ");
    expect([keyId, network.length > 0, program.join(" ").startsWith("night-owl/1.0 (")]).toEqual([
      claimed.body.key_id,
      true,
      true,
    ]);
    expect((await owner.delete(`/api/agenthub/agent-api-key/${keyId}`)).status).toBe(200);
    const me = await withKey(server, claimed.body.api_key).get("/api/agenthub/me");
    expectError(me, 401, "key_revoked");
  });

  test("only a hash of the code is stored, and it is in the copy of the owner's data without it", async () => {
    const { owner, agentId, name } = await ownerOf(server);
    const { code } = (await owner.post(`/api/agents/${agentId}/setup-codes`)).body;
    const rows = JSON.stringify(await server.ctx.db.selectFrom("setup_codes").selectAll().execute());
    expect([rows.includes(code), rows.includes(code.replaceAll("-", ""))]).toEqual([false, false]);
    const copy = await owner.get(`/api/user/${owner.username}/export`);
    const found = (copy.body.setup_codes as { agent_name: string; used_at: string | null }[]).map(
      ({ agent_name, used_at }) => [agent_name, used_at !== null],
    );
    expect(found).toEqual([
      [name, true],
      [name, false],
    ]);
    expect(JSON.stringify(copy.body.setup_codes)).not.toContain("hash");
  });
});
