import { describe, expect, test } from "bun:test";
import { CLAIM, type ClaimedAgent, ClaimWorld } from "../support/browser/claim-walk.ts";
import { expectError } from "../support/expect-error.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import { EventReader } from "../support/servers/event-reader.ts";
import { type Client, eventually } from "../support/servers/test-server.ts";

/** Protocol §5 over real HTTP: keys after they were claimed. */
const world = await forAllTests(ClaimWorld.start());
const ann = await world.server.user("ann");
const bob = await world.server.user("bob");
const ruth = await world.staff("ruth", 2);

let people = 0;
const someone = () => `person${++people}.example.com`;
const mentions = (agent: Client) => agent.get("/api/agenthub/mentions");
const revoke = (caller: Client, keyId: string) => caller.delete(`${CLAIM}/${keyId}`);
const rotate = (caller: Client, body?: object) => caller.post(`${CLAIM}/rotate`, body);

const streamOf = (agent: Client) => EventReader.open(world.server.url, agent.credential);
const labelled = (username: string) => world.claimLabelled(someone(), username);

describe("GET agent-api-key", () => {
  const status = (name: string | undefined, caller = world.server.guest) =>
    caller.get(CLAIM, name === undefined ? {} : { headers: { "x-username": name } });

  test("requires x-username", async () => {
    expectError(await status(undefined), 400, "x_username_required");
    expectError(await status("  "), 400, "x_username_required");
  });

  test("tells anybody whether the user has a key, and only the user which", async () => {
    const eve = await world.server.user("Eve");
    expect((await status("eve")).body).toEqual({ success: true, username: "Eve", has_key: false });
    expect((await status("nobody at all")).body).toEqual({ success: true, username: "nobody at all", has_key: false });
    const agent = await world.claim(someone(), eve);
    await agent.post("/api/agenthub/login", { channel_slug: "general", agent_name: "Eves Bot" });
    const open = await status("EVE");
    expect(open.body).toEqual({ success: true, username: "Eve", has_key: true });
    expect((await status("eve", ann)).body.keys).toBeUndefined();
    const own = await status("eve", eve);
    expect(own.body.keys).toEqual([
      expect.objectContaining({
        key_id: agent.keyId,
        key_prefix: `ply_${agent.keyId}`,
        agent_names: ["Eves Bot"],
        revoked_at: null,
      }),
    ]);
    expect(JSON.stringify(own.body)).not.toContain(agent.apiKey.slice(20));
    await revoke(eve, agent.keyId);
    expect((await status("eve", eve)).body).toMatchObject({ has_key: false, keys: [{ key_id: agent.keyId }] });
  });

  test("has_key is true for a user named only as a label, and for a key in its grace period", async () => {
    await world.server.user("Dan");
    const agent = await labelled("dan");
    expect((await status("dan")).body.has_key).toBe(true);
    await rotate(agent, { grace_seconds: 60 });
    expect((await status("dan")).body.has_key).toBe(true);
  });
});

describe("rotate", () => {
  test("with the key ends the old key at once, with its stream", async () => {
    const agent = await world.claim(someone());
    const stream = await streamOf(agent);
    const answer = await rotate(agent);
    expect(answer.status).toBe(201);
    expect(answer.body.agent_id).toBe(agent.agentId);
    expectError(await mentions(agent), 401, "key_revoked");
    await stream.ended;
    expect((await mentions(world.withKey(answer.body.api_key))).status).toBe(200);
  });

  test("with a grace period keeps both keys valid", async () => {
    const agent = await world.claim(someone());
    const { body } = await rotate(agent, { grace_seconds: 3600 });
    const fresh = world.withKey(body.api_key);
    expect([(await mentions(agent)).status, (await mentions(fresh)).status]).toEqual([200, 200]);
    expect(Date.parse(body.old_keys_end_at)).toBeGreaterThan(Date.now());
  });

  test("ends the old key's stream when the grace period is over", async () => {
    const agent = await world.claim(someone());
    const stream = await streamOf(agent);
    const answer = await rotate(agent, { grace_seconds: 1 });
    const fresh = world.withKey(answer.body.api_key);
    await stream.ended;
    expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(answer.body.old_keys_end_at));
    expectError(await mentions(agent), 401, "key_revoked");
    expect((await mentions(fresh)).status).toBe(200);
  });

  test("can be repeated in the grace period after a lost response, and extends no grace period", async () => {
    const agent = await world.claim(someone());
    const lost = await rotate(agent, { grace_seconds: 3600 });
    const found = await rotate(agent, { grace_seconds: 86_400 });
    expect(found.status).toBe(201);
    const { keys } = await ownKeys(agent);
    const ends = new Map(keys.map(({ id, revoked_at }) => [id, revoked_at]));
    expect(ends.get(agent.keyId)).toBe(Date.parse(lost.body.old_keys_end_at));
    expect(ends.get(lost.body.key_id)).toBe(Date.parse(found.body.old_keys_end_at));
    expect(ends.get(found.body.key_id)).toBeNull();
  });

  test("twice at once with one key returns one new key", async () => {
    const agent = await world.claim(someone());
    const answers = await Promise.all([rotate(agent), rotate(agent), rotate(agent)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 401, 401]);
    const { keys } = await ownKeys(agent);
    expect(keys.filter(({ revoked_at }) => revoked_at === null)).toHaveLength(1);
  });

  test("is allowed to the verified owner, for their only agent or the one they name", async () => {
    const fay = await world.server.user("fay");
    expectError(await rotate(fay), 404, "agent_not_found");
    const one = await world.claim(someone(), fay);
    expect((await rotate(fay, {})).body.agent_id).toBe(one.agentId);
    expectError(await mentions(one), 401, "key_revoked");
    const two = await world.claim(someone(), fay);
    expectError(await rotate(fay, {}), 400, "agent_id_required");
    expect((await rotate(fay, { agent_id: two.agentId })).status).toBe(201);
  });

  test("is refused to everybody else", async () => {
    const [agent, named] = [await world.claim(someone(), ann), await labelled("bob")];
    expectError(await rotate(world.server.guest), 401, "session_required");
    expectError(await rotate(bob, { agent_id: agent.agentId }), 403, "forbidden");
    expectError(await rotate(bob, { agent_id: named.agentId }), 403, "forbidden");
    expectError(await rotate(named, { agent_id: agent.agentId }), 403, "forbidden");
    expectError(await rotate(ann, { agent_id: 99_999 }), 404, "agent_not_found");
    for (const grace_seconds of [-1, 86_401, 1.5, "1"])
      expectError(await rotate(agent, { grace_seconds }), 400, "invalid_request");
  });
});

const ownKeys = async (agent: ClaimedAgent) => ({
  keys: await world.server.ctx.db
    .selectFrom("api_keys")
    .select(["id", "revoked_at"])
    .where("agent_id", "=", agent.agentId)
    .execute(),
});

describe("revoke", () => {
  test("with the key ends it at once, with its streams and its place on the online list", async () => {
    const agent = await world.claim(someone());
    await agent.post("/api/agenthub/login", { channel_slug: "general", agent_name: "Leaver" });
    const stream = await streamOf(agent);
    const answer = await revoke(agent, agent.keyId);
    expect(answer.body.key_id).toBe(agent.keyId);
    expectError(await mentions(agent), 401, "key_revoked");
    await stream.ended;
    await eventually("it is off the list", async () => !JSON.stringify(await online()).includes("Leaver"));
  });

  test("is allowed to the verified owner, and audited for an administrator; repeating it changes nothing", async () => {
    const [one, two] = [await world.claim(someone(), ann), await world.claim(someone(), ann)];
    expect((await revoke(ann, `ply_${one.keyId}`)).status).toBe(200);
    expect((await revoke(ann, one.keyId)).status).toBe(200);
    expect((await revoke(ruth, two.keyId)).status).toBe(200);
    expect((await revoke(ruth, two.keyId)).status).toBe(200);
    for (const agent of [one, two]) expectError(await mentions(agent), 401, "key_revoked");
    const lines = await world.server.ctx.db
      .selectFrom("audit_log")
      .select(["actor", "subject"])
      .where("action", "=", "key_revoke")
      .execute();
    expect(lines).toEqual([{ actor: "ruth", subject: `key:${two.keyId}` }]);
  });

  test("is refused to everybody else", async () => {
    const [agent, named] = [await world.claim(someone(), ann), await labelled("bob")];
    expectError(await revoke(world.server.guest, agent.keyId), 401, "session_required");
    expectError(await revoke(bob, agent.keyId), 404, "key_not_found");
    expectError(await revoke(named, agent.keyId), 404, "key_not_found");
    expectError(await revoke(bob, named.keyId), 403, "forbidden");
    expectError(await revoke(ann, "000000000000"), 404, "key_not_found");
    for (const text of ["short", agent.apiKey]) {
      const answer = await revoke(ann, text);
      expectError(answer, 400, "invalid_id");
      expect(answer.body.error).not.toContain("integer"); // the id of a key is not a key
      expect(answer.body.details).toHaveLength(1);
    }
    expect((await mentions(agent)).status).toBe(200);
  });
});

const online = async () => (await ann.get("/api/channels/1/online")).body.users;

describe("recover", () => {
  test("gives the claiming account a new key for its agent, and ends earlier keys and their streams", async () => {
    const handle = someone();
    const agent = await world.claim(handle, ann);
    await agent.post("/api/agenthub/login", { channel_slug: "general", agent_name: "Phoenix" });
    const stream = await streamOf(agent);
    const answer = await world.recoverAs(handle, "phoenix");
    expect(answer.status).toBe(201);
    expect(answer.body).toMatchObject({ agent_id: agent.agentId, username: "ann", owner_verified: true });
    expectError(await mentions(agent), 401, "key_revoked");
    await stream.ended;
    const fresh = world.withKey(answer.body.api_key);
    const sent = await fresh.post("/api/agenthub/send", {
      channel_slug: "general",
      message: "back",
      agent_name: "Phoenix",
    });
    expect(sent).toMatchObject({ status: 201, body: { agent_name: "Phoenix" } });
    expect(JSON.stringify(await online())).toContain("Phoenix");
  });

  test("can answer with every code besides those of verify-tweet", async () => {
    const handle = someone();
    const { agentId } = await world.claim(handle);
    expectError(await world.recoverAs(someone(), agentId), 404, "social_account_not_claimed");
    const code = await world.recoveryCode(agentId);
    const bare = { tweet_url: "x", verification_code: code.code };
    expectError(await world.server.guest.post(`${CLAIM}/recover`, bare), 400, "invalid_tweet_url");
    const old = { createdAt: Date.now() - 3_600_000 };
    expectError(await world.recover({ code, url: world.post(code, handle, old) }), 422, "post_too_old");
  });

  test("does not restore an owner who removed their name", async () => {
    const handle = someone();
    const agent = await world.claim(handle, ann);
    expect((await ann.delete(`/api/agents/${agent.agentId}/owner`)).status).toBe(200);
    const { body } = await world.recoverAs(handle, agent.agentId);
    expect(body).toMatchObject({ username: null, is_anonymous: false, owner_verified: false });
  });
});
