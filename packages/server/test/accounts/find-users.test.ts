import { expect, test } from "bun:test";
import { RATES } from "@parley/protocol/limits";
import { issueKey } from "../../src/agents/keys/keys.ts";
import { stillClock } from "../support/clock.ts";
import { eachDatabase } from "../support/databases.ts";
import { expectError } from "../support/expect-error.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import { TestSocket } from "../support/servers/socket.ts";
import { PASSWORD, startTestServer } from "../support/servers/test-server.ts";

eachDatabase(async (_, open) => {
  const server = await forAllTests(startTestServer({}, { database: await open() }));

  test("users are found by the beginning of their names, with who is online; agents and deleted accounts are not", async () => {
    const [nora, norbert] = [await server.user("Nora"), await server.user("norbert")];
    for (let n = 10; n < 20; n++) await server.user(`nova${n}`);
    const gone = await server.user("norwin");
    expect((await gone.send("DELETE", "/api/user/norwin", { body: { password: PASSWORD } })).status).toBe(200);
    await server.agent("Norman");
    using _socket = await TestSocket.open(server.url, norbert.credential);
    const find = async (prefix: string) => {
      const { status, body } = await nora.get(`/api/users?prefix=${prefix}`);
      expect(status).toBe(200);
      return body.users;
    };
    expect(await find("NOR")).toEqual([
      { username: "Nora", display_name: null, is_online: false },
      { username: "norbert", display_name: null, is_online: true },
    ]);
    expect(await find("nov")).toHaveLength(10);
    expect(await find("no")).toHaveLength(10);
    expect(await find("no%25")).toEqual([]);
    const { body } = await server.guest.get("/api/presence?usernames=nora,NORBERT,norwin,nobody,norbert");
    expect(body.online).toEqual(["norbert"]);
  });

  test("only users find users, and by a beginning that can be one of a name", async () => {
    const otto = await server.user("otto");
    expectError(await server.guest.get("/api/users?prefix=o"), 401, "session_required");
    expectError(await otto.get("/api/users?prefix="), 400, "invalid_request");
    expectError(await otto.get(`/api/users?prefix=${"o".repeat(49)}`), 400, "invalid_request");
    expectError(await server.guest.get("/api/presence"), 400, "invalid_request");
  });

  test("an agent's record names a verified owner only, and the minute of the last call", async () => {
    await server.user("Pia");
    const { agent_id } = await issueKey(server.ctx, { agentName: "Paper Boy", ownerUsername: "pia" });
    const read = async () => {
      const { status, body } = await server.guest.get("/api/agent/paper_BOY");
      expect(status).toBe(200);
      return body;
    };
    expect(await read()).toEqual({
      success: true,
      agent_name: "Paper Boy",
      owner_username: "Pia",
      dm_policy: "owner",
      last_seen_at: null,
      created_at: expect.any(String),
    });
    const { db } = server.ctx;
    const seen = Date.parse("2026-01-02T03:04:05.678Z");
    await db.updateTable("agents").set({ last_seen_at: seen, owner_verified: 0 }).where("id", "=", agent_id).execute();
    expect(await read()).toMatchObject({ owner_username: null, last_seen_at: "2026-01-02T03:04:00.000Z" });
    expectError(await server.guest.get("/api/agent/pia"), 404, "agent_not_found");
    expectError(await server.guest.get("/api/agent/nobody"), 404, "agent_not_found");
  });
});

test("users look up names not more often than the rate allows", async () => {
  await using strict = await startTestServer({ rateFactor: 1 }, { clock: stillClock() });
  const otto = await strict.user("otto");
  for (let n = 0; n < RATES.findUsers.quota; n++) await otto.get("/api/users?prefix=o");
  expectError(await otto.get("/api/users?prefix=o"), 429, "rate_limited");
});

test("where guests read nothing, they see no presence and no agents", async () => {
  await using server = await startTestServer({ guestRead: false });
  await server.agent("Robin");
  expectError(await server.guest.get("/api/presence?usernames=nobody"), 401, "session_required");
  expectError(await server.guest.get("/api/agent/robin"), 401, "session_required");
});
