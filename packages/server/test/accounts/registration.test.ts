import { describe, expect, test } from "bun:test";
import { changeStanding, FOR_EVER } from "../../src/accounts/levels-and-suspensions.ts";
import { COMMAND_LINE } from "../../src/audit/audit.ts";
import { createOwner } from "../../src/channels/newcomers.ts";
import { expectError } from "../support/expect-error.ts";
import { eventually, logIn, PASSWORD, startTestServer, type TestServer } from "../support/servers/test-server.ts";
import { staff } from "../support/staff.ts";

/** Makes an owner, as the command line does, and returns their session and invite code. */
async function ownerOf(server: TestServer) {
  await createOwner(server.ctx, "ada", PASSWORD);
  const ada = await logIn(server.url, "ada");
  return { ada, invite_code: (await ada.get("/api/user/ada")).body.invite_code as string };
}

const register = ({ guest }: TestServer, username: string, more: object = {}, headers = {}) =>
  guest.post("/api/auth/register", { username, password: PASSWORD, ...more }, { headers });

describe("PARLEY_REGISTRATION", () => {
  test("invite: only people with a valid code register, and a suspended user's code is not valid", async () => {
    await using server = await startTestServer({ registration: "invite" });
    const { invite_code } = await ownerOf(server);
    expectError(await register(server, "bob"), 400, "invite_code_required");
    expectError(await register(server, "bob", { invite_code: null }), 400, "invite_code_required");
    expectError(await register(server, "bob", { invite_code: "0000000000" }), 400, "invalid_invite_code");
    expectError(await register(server, "bob", { invite_code: "" }), 400, "invalid_invite_code");
    const headers = { "idempotency-key": "key-of-bob" };
    expect((await register(server, "bob", { invite_code }, headers)).status).toBe(201);
    expect((await register(server, "bob", { invite_code }, headers)).status).toBe(200);
    const bob = await logIn(server.url, "bob");
    const bobs = (await bob.get("/api/user/bob")).body.invite_code;
    await changeStanding(server.ctx, COMMAND_LINE, "bob", { suspendedUntil: FOR_EVER });
    expectError(await register(server, "cat", { invite_code: bobs }), 400, "invalid_invite_code");
  });

  test("open: a code that nobody has, or that a suspended user has, is not valid", async () => {
    await using server = await startTestServer();
    const bob = await server.user("bob");
    const { invite_code } = (await bob.get("/api/user/bob")).body;
    expectError(await register(server, "cat", { invite_code: "0000000000" }), 400, "invalid_invite_code");
    expect((await register(server, "cat", { invite_code })).status).toBe(201);
    await changeStanding(server.ctx, COMMAND_LINE, "bob", { suspendedUntil: FOR_EVER });
    expectError(await register(server, "dan", { invite_code }), 400, "invalid_invite_code");
    expect((await register(server, "dan")).status).toBe(201);
  });

  test("closed: nobody registers, whatever they send, and owners are still made", async () => {
    await using server = await startTestServer({ registration: "closed" });
    const { invite_code } = await ownerOf(server);
    expectError(await register(server, "bob"), 403, "registration_closed");
    expectError(await register(server, "bob", { invite_code }), 403, "registration_closed");
    // The answer is the same for a name that is taken.
    expectError(await register(server, "ada", { invite_code }), 403, "registration_closed");
  });
});

describe("GET /api/invitations/:code", () => {
  test("tells people without an account who invites, and nothing else", async () => {
    await using server = await startTestServer({ guestRead: false, registration: "invite" });
    const { invite_code } = await ownerOf(server);
    const answer = await server.guest.get(`/api/invitations/${invite_code.toLowerCase()}`);
    expect(answer.body).toEqual({ success: true, invitation: { username: "ada" } });
    for (const code of ["0000000000", "x", "%20", "erased%20user%201"]) {
      expectError(await server.guest.get(`/api/invitations/${code}`), 400, "invalid_invite_code");
    }
  });

  test("does not name a suspended user", async () => {
    await using server = await startTestServer();
    const bob = await server.user("bob");
    const { invite_code } = (await bob.get("/api/user/bob")).body;
    await changeStanding(server.ctx, COMMAND_LINE, "bob", { suspendedUntil: FOR_EVER });
    expectError(await server.guest.get(`/api/invitations/${invite_code}`), 400, "invalid_invite_code");
  });
});

describe("GET /api/site", () => {
  test("tells everybody the name and who may register", async () => {
    await using server = await startTestServer({ siteName: "Tea House", registration: "invite", guestRead: false });
    await ownerOf(server);
    const answer = await server.guest.get("/api/site");
    expect(answer.body.site).toEqual({
      name: "Tea House",
      logo: null,
      registration: "invite",
      guest_read: false,
      agents_per_user: 5,
      needs_owner: false,
      file_max_bytes: 25 * 1_024 * 1_024,
      file_types: null,
      password_login: "on",
      oidc_name: null,
      value: true,
      // Tests have them only where they need them (testConfig).
      link_previews: false,
      mail: false,
      custom_emoji: "members",
    });
  });

  test("tells only callers on the server's machine that an owner is missing", async () => {
    const needsOwner = async ({ guest }: TestServer, headers = {}) =>
      (await guest.get("/api/site", { headers })).body.site.needs_owner;
    await using server = await startTestServer();
    expect(await needsOwner(server)).toBe(true);
    expect(await needsOwner(server, { "x-forwarded-for": "192.0.2.1" })).toBe(false);
    expect(await needsOwner(server, { host: "chat.example.org" })).toBe(false);
    await using open = await startTestServer({ publicUrl: "https://chat.example.org" });
    expect(await needsOwner(open)).toBe(false);
    await ownerOf(server);
    expect(await needsOwner(server)).toBe(false);
  });
});

test("GET /api/admin/setup shows which first steps are done, to administrators", async () => {
  await using server = await startTestServer();
  const { ada } = await ownerOf(server);
  const steps = async () => {
    const { body } = await ada.get("/api/admin/setup");
    return body.steps;
  };
  expect(await steps()).toEqual({ people: false, agent: false, channel: false });
  const scout = await server.agent("Scout");
  expect((await steps()).agent).toBe(false);
  await scout.post("/api/agenthub/login", { channel_slug: "general", agent_name: "Scout" });
  await eventually("the agent's call is recorded", async () => (await steps()).agent);
  const bob = await server.user("bob");
  await bob.post("/api/direct", { username: "ada" });
  expect(await steps()).toEqual({ people: true, agent: true, channel: false });
  await bob.post("/api/channels", { name: "Tea" });
  expect(await steps()).toEqual({ people: true, agent: true, channel: true });
  for (const caller of [bob, await staff(server, "mod1", 1)]) {
    expectError(await caller.get("/api/admin/setup"), 403, "forbidden");
  }
});

describe("a new user", () => {
  test("is in general at once, and a user who has left it stays out", async () => {
    await using server = await startTestServer();
    const headers = { "idempotency-key": "key-of-bob" };
    expect((await register(server, "bob", {}, headers)).status).toBe(201);
    const bob = await logIn(server.url, "bob");
    const general = async () => (await bob.get("/api/channels/1")).body.channel;
    expect(await general()).toMatchObject({ my_role: "member", member_count: 1, unread_count: 0 });
    await bob.post("/api/channels/1/leave");
    expect((await register(server, "bob", {}, headers)).body.deduplicated).toBe(true);
    await logIn(server.url, "bob");
    expect(await general()).toMatchObject({ my_role: null, member_count: 0 });
  });

  test("joins the public channel that the registration names", async () => {
    await using server = await startTestServer();
    const { ada } = await ownerOf(server);
    await ada.post("/api/channels", { name: "Tea" });
    await ada.post("/api/channels", { name: "Secret", is_private: true });
    for (const [name, channel_slug] of [
      ["bob", "tea"],
      ["cat", "secret"],
    ] as const) {
      expect((await register(server, name, { channel_slug })).status).toBe(201);
    }
    const roleIn = async (name: string, slug: string) => {
      const { body } = await (await logIn(server.url, name)).get(`/api/channels?channel_slug=${slug}`);
      return body.channels.map(({ my_role }: { my_role: string | null }) => my_role);
    };
    expect(await roleIn("bob", "tea")).toEqual(["member"]);
    expect(await roleIn("cat", "tea")).toEqual([null]);
    expect(await roleIn("cat", "secret")).toEqual([]);
    expectError(await register(server, "dan", { channel_slug: 5 }), 400, "invalid_request");
  });
});
