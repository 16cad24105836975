import { describe, expect, test } from "bun:test";
import { untimed } from "../support/clock.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import { newChannel } from "../support/new-channel.ts";
import { eventually, startTestServer } from "../support/servers/test-server.ts";

/** Joining, leaving and members (protocol §3) over real HTTP. */

const server = await forAllTests(startTestServer());
const ann = await server.user("ann");
const bob = await server.user("bob");
const cid = await server.user("cid");

/** Creates a channel for one test, owned by ann. */
const channel = async (settings = {}): Promise<number> => (await newChannel(ann, settings)).id;

const membersIn = async (id: number): Promise<[string, string, string][]> =>
  (await ann.get(`/api/channels/${id}/members`)).body.members.map((one: Record<string, string>) => [
    one.kind,
    one.name,
    one.role,
  ]);

describe("POST …/join", () => {
  test("makes the user a member, and returns the same response again", async () => {
    const id = await channel();
    for (const answer of [await bob.post(`/api/channels/${id}/join`), await bob.post(`/api/channels/${id}/join`, {})]) {
      expect(answer.status).toBe(200);
      expect(answer.body).toMatchObject({
        success: true,
        my_role: "member",
        channel: { id, member_count: 2, my_role: "member" },
      });
    }
    expect(await membersIn(id)).toEqual([
      ["user", "ann", "owner"],
      ["user", "bob", "member"],
    ]);
  });

  test("accepts the password of a locked channel", async () => {
    const id = await channel({ is_private: true, password: "open sesame" });
    const refusals: [object | undefined, string][] = [
      [undefined, "password_required"],
      [{ password: null }, "password_required"],
      [{ password: "Open Sesame" }, "wrong_password"],
      [{ password: "" }, "wrong_password"],
    ];
    for (const [body, code] of refusals) {
      const answer = await bob.post(`/api/channels/${id}/join`, body);
      expect([body, answer.status, answer.body.code]).toEqual([body, 403, code]);
    }
    const answer = await bob.post(`/api/channels/${id}/join`, { password: "open sesame" });
    expect([answer.status, answer.body.my_role]).toEqual([200, "member"]);
    expect((await bob.post(`/api/channels/${id}/join`, { password: "not any more" })).status).toBe(200);
    expect((await bob.get(`/api/messages?channel_id=${id}`)).status).toBe(200);
  });

  test.each([1, 100] as const)(
    "allows five wrong passwords a minute in any profile (rate factor %d), over all channels, and then delays even the right one",
    async (rateFactor) => {
      await using strict = await startTestServer({ rateFactor }, { clock: untimed });
      const [owner, guesser] = [await strict.user("owen"), await strict.user("gus")];
      const ids: number[] = [];
      for (const name of ["one", "two"]) {
        ids.push(
          (await owner.post("/api/channels", { name, is_private: true, password: "open sesame" })).body.channel_id,
        );
      }
      // Right passwords are not guesses.
      for (let i = 0; i < 7; i += 1) {
        const made = { name: `open ${i}`, is_private: true, password: "open sesame" };
        const { channel_id } = (await owner.post("/api/channels", made)).body;
        expect((await guesser.post(`/api/channels/${channel_id}/join`, { password: "open sesame" })).status).toBe(200);
      }
      for (let guess = 0; guess < 5; guess += 1) {
        const answer = await guesser.post(`/api/channels/${ids[guess % 2]}/join`, { password: `guess ${guess}` });
        expect(answer.body.code).toBe("wrong_password");
      }
      const answer = await guesser.post(`/api/channels/${ids[0]}/join`, { password: "open sesame" });
      expect([answer.status, answer.body.code]).toEqual([429, "rate_limited"]);
      expect([answer.headers.get("retry-after"), answer.body.retry_after]).toEqual(["12", 12]);
      // Joining without a password is not a guess.
      expect((await guesser.post("/api/channels/1/join")).status).toBe(200);
    },
  );

  test.each<[unknown, string]>([
    [{ password: 5 }, "invalid_request"],
    [[], "invalid_request"],
  ])("refuses the body %j with 400 %s", async (body, code) => {
    const id = await channel();
    const answer = await bob.post(`/api/channels/${id}/join`, body);
    expect([answer.status, answer.body.code]).toEqual([400, code]);
  });
});

describe("POST …/leave", () => {
  test("ends the membership, and changes nothing when repeated", async () => {
    const id = await channel();
    await bob.post(`/api/channels/${id}/join`);
    for (let twice = 0; twice < 2; twice += 1) {
      const answer = await bob.post(`/api/channels/${id}/leave`);
      expect([answer.status, answer.body.channel_id]).toEqual([200, id]);
    }
    expect(await membersIn(id)).toEqual([["user", "ann", "owner"]]);
    const owner = await ann.post(`/api/channels/${id}/leave`);
    expect([owner.status, owner.body.code]).toEqual([409, "owner_cannot_leave"]);
  });

  test("closes a private channel to the user", async () => {
    const id = await channel({ is_private: true });
    await ann.put(`/api/channels/${id}/members/bob`, {});
    expect((await bob.get(`/api/channels/${id}`)).body.channel.my_role).toBe("member");
    expect((await bob.post(`/api/channels/${id}/leave`)).status).toBe(200);
    expect((await bob.get(`/api/channels/${id}`)).status).toBe(404);
  });
});

describe("PUT …/members/:username", () => {
  test("adds, promotes and demotes members", async () => {
    const id = await channel({ is_private: true });
    const added = await ann.put(`/api/channels/${id}/members/BOB`, undefined);
    expect(added.status).toBe(200);
    expect(added.body).toMatchObject({
      success: true,
      channel_id: id,
      member: { kind: "user", name: "bob", role: "member", muted_until: null, joined_at: expect.stringMatching(/Z$/) },
    });
    expect((await ann.put(`/api/channels/${id}/members/bob`, { role: "admin" })).body.member.role).toBe("admin");
    expect((await bob.get(`/api/channels/${id}`)).body.channel.my_role).toBe("admin");
    expect((await bob.put(`/api/channels/${id}/members/cid`, { role: "member" })).status).toBe(200);
    expect((await bob.put(`/api/channels/${id}/members/cid`, { role: "admin" })).body.code).toBe("forbidden");
    expect((await ann.put(`/api/channels/${id}/members/bob`, { role: "member" })).body.member.role).toBe("member");
    expect((await bob.put(`/api/channels/${id}`, { topic: "x" })).body.code).toBe("forbidden");
  });

  test("adds agents to a private channel, by any spelling of their name", async () => {
    const scout = await server.agent("Scout One");
    const id = await channel({ is_private: true, channel_slug: "scouts" });
    const login = () => scout.post("/api/agenthub/login", { channel_slug: "scouts", agent_name: "Scout One" });
    expect((await login()).status).toBe(404);
    const added = await ann.put(`/api/channels/${id}/members/scout_one`, {});
    expect(added.body.member).toMatchObject({ kind: "agent", name: "Scout One", role: "member" });
    expect((await login()).status).toBe(200);
    const online = (await ann.get(`/api/channels/${id}/online`)).body;
    expect(online).toMatchObject({ count: 1, users: [{ kind: "agent", name: "Scout One" }] });
    expect((await ann.delete(`/api/channels/${id}/members/Scout%20One`)).body.username).toBe("Scout One");
    expect((await login()).status).toBe(404);
    expect((await ann.get(`/api/channels/${id}/online`)).body.count).toBe(0);
  });

  test.each<[string, object, string, number]>([
    ["nobody-here", {}, "user_not_found", 404],
    ["bob", { role: "owner" }, "invalid_request", 400],
    ["bob", { role: "king" }, "invalid_request", 400],
    ["bob", { muted_until: "tomorrow" }, "invalid_request", 400],
    ["bob", { muted_until: 5 }, "invalid_request", 400],
    ["ann", { muted_until: "2999-01-01T00:00:00.000Z" }, "forbidden", 403],
    ["ann", { role: "member" }, "forbidden", 403],
    ["Robot", { role: "admin" }, "invalid_request", 400],
  ])("answers %s %j with %s", async (name, body, code, status) => {
    if (name === "Robot") await server.agent("Robot");
    const id = await channel();
    const answer = await ann.put(`/api/channels/${id}/members/${name}`, body);
    expect([answer.status, answer.body.code]).toEqual([status, code]);
  });
});

describe("DELETE …/members/:username", () => {
  test("kicks a member, who can join a public channel again", async () => {
    const id = await channel();
    await bob.post(`/api/channels/${id}/join`);
    const answer = await ann.delete(`/api/channels/${id}/members/Bob`);
    expect(answer.body).toMatchObject({ success: true, channel_id: id, username: "bob" });
    expect((await bob.get(`/api/channels/${id}`)).body.channel).toMatchObject({ my_role: null, member_count: 1 });
    expect((await bob.post(`/api/channels/${id}/join`)).status).toBe(200);
  });

  test("applies the shared agent name to all agents that are online under it", async () => {
    const [one, two] = [await server.agent(), await server.agent()];
    const id = await channel({ channel_slug: "shared" });
    for (const agent of [one, two]) {
      expect(
        (await agent.post("/api/agenthub/login", { channel_slug: "shared", agent_name: "PlatformAgent" })).status,
      ).toBe(200);
    }
    expect((await ann.get(`/api/channels/${id}/online`)).body.count).toBe(2);
    expect((await ann.delete(`/api/channels/${id}/members/PlatformAgent`)).body.username).toBe("PlatformAgent");
    // Their logins end shortly after the response, each with its own write.
    await eventually("they are gone", async () => (await ann.get(`/api/channels/${id}/online`)).body.count === 0);
  });

  test.each([["nobody-here"], ["cid"], ["PlatformAgent"]])(
    "answers 404 member_not_found for %s, who is not in the channel",
    async (name) => {
      const id = await channel();
      const answer = await ann.delete(`/api/channels/${id}/members/${name}`);
      expect([answer.status, answer.body.code]).toEqual([404, "member_not_found"]);
    },
  );

  test("the owner of a channel cannot be kicked", async () => {
    const id = await channel();
    await ann.put(`/api/channels/${id}/members/bob`, { role: "admin" });
    expect((await bob.delete(`/api/channels/${id}/members/ann`)).body.code).toBe("forbidden");
    expect((await ann.delete(`/api/channels/${id}/members/ann`)).body.code).toBe("forbidden");
  });
});

test("agents leave a channel that becomes private or is deleted, unless they were added", async () => {
  const [stranger, added] = [await server.agent("Stranger"), await server.agent("Added")];
  const id = await channel({ channel_slug: "closing" });
  await ann.put(`/api/channels/${id}/members/Added`, {});
  expect((await stranger.post("/api/agenthub/login", { channel_slug: "closing", agent_name: "Stranger" })).status).toBe(
    200,
  );
  expect((await added.post("/api/agenthub/login", { channel_slug: "closing", agent_name: "Added" })).status).toBe(200);
  const online = () => server.ctx.presence.list(id, 10).map(({ name }) => name);
  expect(online()).toEqual(["Stranger", "Added"]);
  expect((await ann.put(`/api/channels/${id}`, { is_private: true })).status).toBe(200);
  await eventually("the stranger is out", () => online().length === 1);
  expect(online()).toEqual(["Added"]);
  expect((await ann.delete(`/api/channels/${id}`)).status).toBe(200);
  await eventually("everyone is out", () => online().length === 0);
});

test("members and the online list are returned in pages", async () => {
  const id = await channel();
  for (const who of [cid, bob]) await who.post(`/api/channels/${id}/join`);
  const first = (await server.guest.get(`/api/channels/${id}/members?limit=2`)).body;
  expect(first).toMatchObject({ success: true, channel_id: id, has_more: true, next_offset: 2, limit: 2 });
  expect(first.members.map((one: { name: string }) => one.name)).toEqual(["ann", "cid"]);
  const rest = (await server.guest.get(`/api/channels/${id}/members?limit=2&offset=2`)).body;
  expect(rest).toMatchObject({ has_more: false, next_offset: null, members: [{ name: "bob" }] });
  const { ctx } = server;
  for (let user = 1; user <= 3; user += 1) {
    ctx.presence.enter(id, { kind: "user", id: 1_000 + user, name: `u${user}`, honorLevel: 0, since: user });
  }
  ctx.presence.enterGuest(id);
  const online = (await server.guest.get(`/api/channels/${id}/online?limit=2&offset=1`)).body;
  expect(online).toEqual({
    success: true,
    channel_id: id,
    count: 3,
    guest_count: 1,
    users: [2, 3].map((user) => ({
      kind: "user",
      name: `u${user}`,
      honor_level: 0,
      since: new Date(user).toISOString(),
    })),
    has_more: false,
    next_offset: null,
    limit: 2,
  });
  for (const list of ["members", "online"]) {
    expect((await ann.get(`/api/channels/${id}/${list}?limit=0`)).body.code).toBe("invalid_limit");
  }
});
