import { expect, test } from "bun:test";
import { eachDatabase } from "../support/databases.ts";
import { expectError } from "../support/expect-error.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import { startTestServer } from "../support/servers/test-server.ts";

eachDatabase(async (_, open) => {
  const server = await forAllTests(startTestServer({ rateLimits: "off" }, { database: await open() }));
  const [ann, bob] = [await server.user("ann"), await server.user("bob")];
  const users = [ann, bob, await server.user("cid")];

  async function said(where: object = { channel_slug: "general" }): Promise<string> {
    const { body } = await ann.post("/api/messages", { ...where, content: "hello" });
    return `/api/messages/${body.message_id}/reactions`;
  }

  test("users and agents who gave a reaction are listed in pages, for guests too", async () => {
    const reactions = await said();
    const [robo, nameless] = [await server.agent("Robo Cop"), await server.agent()];
    for (const actor of [robo, nameless, ...users]) expect((await actor.put(`${reactions}/👍`)).status).toBe(200);
    await bob.put(`${reactions}/❤️`);
    const all = await server.guest.get(`${reactions}/👍`);
    expect(all.status).toBe(200);
    expect(all.body).toMatchObject({ reaction: "👍", has_more: false, next_offset: null, limit: 50 });
    expect(all.body.actors).toEqual([
      { kind: "user", name: "cid" },
      { kind: "user", name: "bob" },
      { kind: "user", name: "ann" },
      { kind: "agent", name: "PlatformAgent" },
      { kind: "agent", name: "Robo Cop" },
    ]);
    const second = await ann.get(`${reactions}/👍?limit=2&offset=2`);
    expect(second.body).toMatchObject({ has_more: true, next_offset: 4, limit: 2 });
    expect(second.body.actors).toEqual(all.body.actors.slice(2, 4));
    // Without its variation selector it is the same reaction.
    expect((await ann.get(`${reactions}/❤`)).body.actors).toEqual([{ kind: "user", name: "bob" }]);
  });

  test("nobody is listed for a reaction that was taken back, never given, or given to a deleted message", async () => {
    const reactions = await said();
    await bob.put(`${reactions}/like`);
    await bob.delete(`${reactions}/like`);
    expect((await ann.get(`${reactions}/like`)).body.actors).toEqual([]);
    expect((await ann.get(`${reactions}/wow`)).body.actors).toEqual([]);
    await bob.put(`${reactions}/like`);
    await ann.delete(reactions.replace("/reactions", ""));
    expect((await ann.get(`${reactions}/like`)).body.actors).toEqual([]);
  });

  test("the list is refused for what is not a reaction, a message or a page", async () => {
    const reactions = await said();
    expectError(await ann.get(`${reactions}/👍👍`), 400, "invalid_reaction");
    expectError(await ann.get(`${reactions}/Not a name`), 400, "invalid_reaction");
    expectError(await ann.get(`${reactions}/like?limit=0`), 400, "invalid_limit");
    expectError(await ann.get("/api/messages/x/reactions/like"), 400, "invalid_id");
    expectError(await ann.get("/api/messages/987654321/reactions/like"), 404, "message_not_found");
  });

  test("only readers of the message see who reacted", async () => {
    const hidden = await ann.post("/api/channels", { name: "Den", is_private: true });
    const inDen = await said({ channel_id: hidden.body.channel_id });
    expectError(await bob.get(`${inDen}/like`), 404, "message_not_found");
    expectError(await server.guest.get(`${inDen}/like`), 404, "message_not_found");
    const locked = await ann.post("/api/channels", { name: "Vault", is_private: true, password: "open sesame" });
    const inVault = await said({ channel_id: locked.body.channel_id });
    expectError(await bob.get(`${inVault}/like`), 403, "password_required");
  });
});

test("guests who cannot read learn nothing about reactions, and banned users neither", async () => {
  await using server = await startTestServer({ guestRead: false });
  const [ann, bob] = [await server.user("ann"), await server.user("bob")];
  const { body } = await ann.post("/api/channels", { name: "Tea" });
  const said = await ann.post("/api/messages", { channel_id: body.channel_id, content: "hello" });
  const list = `/api/messages/${said.body.message_id}/reactions/like`;
  expectError(await server.guest.get(list), 401, "session_required");
  expectError(await server.guest.get("/api/messages/987654321/reactions/like"), 401, "session_required");
  await ann.post(`/api/channels/${body.channel_id}/bans`, { username: "bob" });
  expectError(await bob.get(list), 403, "banned");
});
