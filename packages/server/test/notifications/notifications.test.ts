import { describe, expect, test } from "bun:test";
import { trimGrown } from "../../src/notifications/list/trim.ts";
import { markPlaces } from "../../src/notifications/reading/follow-reading.ts";
import { notificationsConsumer } from "../../src/notifications/start.ts";
import { eraseAll } from "../../src/privacy/erasing.ts";
import { eachDatabase } from "../support/databases.ts";
import { expectError } from "../support/expect-error.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import { say } from "../support/say.ts";
import { LiveSocket } from "../support/servers/live-socket.ts";
import { type Client, eventually, PASSWORD, startTestServer } from "../support/servers/test-server.ts";

const LIST = "/api/notifications";
const SETTINGS = "/api/notifications/settings";

/** The list of notifications (protocol §13.5). */
eachDatabase(async (_, open) => {
  let count = 0;
  const server = await forAllTests(startTestServer({}, { database: await open() }));

  const newChannel = async (owner: Client, ...members: Client[]): Promise<number> => {
    const id = (await owner.post("/api/channels", { name: `Room ${++count}` })).body.channel_id;
    for (const member of members) await member.post(`/api/channels/${id}/join`);
    return id;
  };
  const handled = () => notificationsConsumer(server.ctx).flush();
  const list = async (who: Client, query = "") => {
    await handled();
    const { status, body } = await who.get(`${LIST}${query}`);
    expect(status).toBe(200);
    return body as { notifications: Record<string, unknown>[]; unread: number; has_more: boolean; next_before: number };
  };
  const kinds = async (who: Client) => (await list(who)).notifications.map(({ kind }) => kind);

  test("holds mentions by others, once for each message, with who wrote them and the text without Markdown", async () => {
    const [ann, bob] = [await server.newUser(), await server.newUser()];
    const channel = await newChannel(ann, bob);
    await say(bob, channel, "nobody is meant");
    const { message_id } = await say(bob, channel, `**Look**, @${ann.username} and @${ann.username}`);
    await say(ann, channel, `@${ann.username} to myself`);
    const { notifications, unread } = await list(ann);
    expect(notifications).toMatchObject([
      { kind: "mention", channel_id: channel, message_id, from: { kind: "user", name: bob.username }, read_at: null },
    ]);
    expect(notifications[0]?.text).toBe(`Look, @${ann.username} and @${ann.username}`);
    expect(unread).toBe(1);
    expect((await list(bob)).notifications).toEqual([]);
  });

  test("holds messages of direct conversations, also when they mention the user", async () => {
    const [ann, bob] = [await server.newUser(), await server.newUser()];
    const { channel_id } = (await bob.post("/api/direct", { username: ann.username })).body;
    await say(bob, channel_id, "hello");
    await say(bob, channel_id, `@${ann.username} again`);
    await say(ann, channel_id, "hi");
    expect(await kinds(ann)).toEqual(["direct", "direct"]);
    expect(await kinds(bob)).toEqual(["direct"]);
  });

  test("holds mentions by agents, and an edit that mentions the user", async () => {
    const [ann, bob] = [await server.newUser(), await server.newUser()];
    const channel = await newChannel(ann, bob);
    const { message_id } = await say(bob, channel, "look");
    expect(await kinds(ann)).toEqual([]);
    await bob.put(`/api/messages/${message_id}`, { content: `look, @${ann.username}` });
    expect(await kinds(ann)).toEqual(["mention"]);
    await bob.put(`/api/messages/${message_id}`, { content: `look here, @${ann.username}` });
    expect((await list(ann)).notifications).toMatchObject([{ text: `look here, @${ann.username}` }]);
    const name = `Scout ${++count}`;
    const agent = await server.agent(name);
    const { slug } = (await ann.get(`/api/channels/${channel}`)).body.channel;
    const send = { channel_slug: slug, agent_name: name, message: `@${ann.username} done` };
    await agent.post("/api/agenthub/send", send);
    const [newest] = (await list(ann)).notifications;
    if (newest?.text === `@${ann.username} done`) expect(newest.from).toEqual({ kind: "agent", name });
  });

  test("loses a mention that is edited out, and holds it once when it is edited in again", async () => {
    const [ann, bob] = [await server.newUser(), await server.newUser()];
    const channel = await newChannel(ann, bob);
    const { message_id } = await say(bob, channel, `look, @${ann.username}`);
    expect((await list(ann)).unread).toBe(1);
    await bob.put(`/api/messages/${message_id}`, { content: "never mind" });
    expect(await list(ann)).toMatchObject({ notifications: [], unread: 0 });
    await bob.put(`/api/messages/${message_id}`, { content: `no, look, @${ann.username}` });
    expect(await kinds(ann)).toEqual(["mention"]);
    await bob.put(`/api/messages/${message_id}`, { content: `@${ann.username}, please look, @${bob.username}` });
    expect(await list(ann)).toMatchObject({ unread: 1 });
    expect(await kinds(bob)).toEqual([]);
  });

  describe("leaves out", () => {
    test.each([
      ["muted channels", { muted: true }],
      ["channels of the level none", { level: "none" }],
    ])("%s", async (_, settings) => {
      const [ann, bob] = [await server.newUser(), await server.newUser()];
      const channel = await newChannel(bob, ann);
      await ann.put(SETTINGS, { channels: { [channel]: settings } });
      await say(bob, channel, `@${ann.username}`);
      expect(await kinds(ann)).toEqual([]);
    });

    test("everything for the default none, and all messages of the level all that concern nobody", async () => {
      const [ann, bob] = [await server.newUser(), await server.newUser()];
      const channel = await newChannel(bob, ann);
      await ann.put(SETTINGS, { default: "none" });
      await say(bob, channel, `@${ann.username}`);
      expect(await kinds(ann)).toEqual([]);
      await ann.put(SETTINGS, { default: "all" });
      await say(bob, channel, "hello");
      expect(await kinds(ann)).toEqual([]);
    });

    test("people whom the user has blocked", async () => {
      const [ann, bob] = [await server.newUser(), await server.newUser()];
      const channel = await newChannel(bob, ann);
      await ann.put(`/api/blocks/${bob.username}`);
      await say(bob, channel, `@${ann.username}`);
      expect(await kinds(ann)).toEqual([]);
    });

    test("private channels that the user is not in, and those that the user has left since", async () => {
      const [ann, bob] = [await server.newUser(), await server.newUser()];
      const channel = await newChannel(bob, ann);
      await bob.put(`/api/channels/${channel}`, { is_private: true });
      await using atAnn = await LiveSocket.open(server.url, ann.credential);
      const { message_id } = await say(bob, channel, `@${ann.username}`);
      expect((await atAnn.next("mention:new")).data).toMatchObject({ chat_message: { id: message_id } });
      expect(await kinds(ann)).toEqual(["mention"]);
      await ann.post(`/api/channels/${channel}/leave`);
      await say(bob, channel, `@${ann.username}`);
      expect(await list(ann)).toMatchObject({ notifications: [], unread: 0 });
    });

    test("messages that were deleted", async () => {
      const [ann, bob] = [await server.newUser(), await server.newUser()];
      const channel = await newChannel(bob, ann);
      const { message_id } = await say(bob, channel, `@${ann.username}`);
      expect(await kinds(ann)).toEqual(["mention"]);
      await using atAnn = await LiveSocket.open(server.url, ann.credential);
      await bob.delete(`/api/messages/${message_id}`);
      expect(await list(ann)).toMatchObject({ notifications: [], unread: 0 });
      expect((await atAnn.next("notification:read")).data).toMatchObject({ unread: 0 });
    });
  });

  test("folds the reactions to a message into one notification with the newest actor", async () => {
    const [ann, bob, cid] = [await server.newUser(), await server.newUser(), await server.newUser()];
    const channel = await newChannel(ann, bob, cid);
    const { message_id } = await say(ann, channel, "good news");
    await ann.put(`/api/messages/${message_id}/reactions/like`);
    expect(await kinds(ann)).toEqual([]);
    await bob.put(`/api/messages/${message_id}/reactions/like`);
    const [first] = (await list(ann)).notifications;
    expect(first).toMatchObject({ kind: "reaction", message_id, from: { name: bob.username }, text: "like" });
    await cid.put(`/api/messages/${message_id}/reactions/🎉`);
    const { notifications } = await list(ann);
    expect(notifications).toHaveLength(1);
    expect(notifications[0]).toMatchObject({ from: { name: cid.username }, text: "🎉", read_at: null });
    expect(notifications[0]?.notification_id).toBe(first?.notification_id);
    await cid.delete(`/api/messages/${message_id}/reactions/🎉`);
    expect(await list(ann)).toMatchObject({ unread: 0 });
    await cid.put(`/api/messages/${message_id}/reactions/🎉`);
    expect(await list(ann)).toMatchObject({ unread: 0, notifications: [{ kind: "reaction" }] });
  });

  test("tells all sockets of the user what is new and what was read, and nobody else's", async () => {
    const [ann, bob] = [await server.newUser(), await server.newUser()];
    const channel = await newChannel(bob, ann);
    await using atAnn = await LiveSocket.open(server.url, ann.credential);
    await using atBob = await LiveSocket.open(server.url, bob.credential);
    const { message_id, seq } = await say(bob, channel, `@${ann.username}`);
    const made = await atAnn.next("notification:new");
    expect(made.data).toMatchObject({ notification: { kind: "mention", message_id, read_at: null }, unread: 1 });
    await ann.post(`/api/channels/${channel}/read`, { seq });
    const read = await atAnn.next("notification:read");
    expect(read.data).toMatchObject({ up_to_id: null, unread: 0 });
    expect((await list(ann, "?unread=true")).notifications).toEqual([]);
    await atBob.settle();
    expect([...atBob.all("notification:new"), ...atBob.all("notification:read")]).toEqual([]);
  });

  test("marks as read only what the user has read", async () => {
    const [ann, bob] = [await server.newUser(), await server.newUser()];
    const channel = await newChannel(bob, ann);
    const first = await say(bob, channel, `@${ann.username} one`);
    await say(bob, channel, `@${ann.username} two`);
    await handled();
    await ann.post(`/api/channels/${channel}/read`, { seq: first.seq });
    await eventually("one is read", async () => (await list(ann)).unread === 1);
    await ann.post(`/api/channels/${channel}/read`);
    await eventually("both are read", async () => (await list(ann)).unread === 0);
    const userId = (
      await server.ctx.db
        .selectFrom("users")
        .select("id")
        .where("username", "=", ann.username)
        .executeTakeFirstOrThrow()
    ).id;
    expect(await markPlaces(server.ctx, [{ userId, channelId: channel, rootId: null }])).toEqual([]);
  });

  test("is marked by ids and up to one of them, and pages", async () => {
    const [ann, bob] = [await server.newUser(), await server.newUser()];
    const channel = await newChannel(bob, ann);
    for (let n = 0; n < 5; n += 1) await say(bob, channel, `@${ann.username} ${n}`);
    const page = await list(ann, "?limit=2");
    expect(page).toMatchObject({ unread: 5, has_more: true });
    const [newest, second] = page.notifications.map(({ notification_id }) => notification_id as number);
    const rest = await list(ann, `?limit=200&before=${page.next_before}`);
    expect(rest.notifications).toHaveLength(3);
    const marked = await ann.post(`${LIST}/read`, { ids: [newest, 999_999_999] });
    expect(marked.body).toMatchObject({ up_to_id: null, ids: [newest, 999_999_999], unread: 4 });
    expect((await ann.post(`${LIST}/read`, { up_to_id: second })).body).toMatchObject({ unread: 0, up_to_id: second });
    expect((await bob.post(`${LIST}/read`, { up_to_id: newest })).body.unread).toBe(0);
    for (const body of [{}, { ids: [] }, { ids: [1], up_to_id: 1 }, { up_to_id: "x" }]) {
      expectError(await ann.post(`${LIST}/read`, body), 400, "invalid_request");
    }
    expectError(await server.guest.get(LIST), 401, "session_required");
  });

  test("keeps the newest hundred of one sender, so that a stranger cannot push out the others", async () => {
    const [ann, bob, cid] = [await server.newUser(), await server.newUser(), await server.newUser()];
    const channel = await newChannel(bob, ann, cid);
    await say(cid, channel, `@${ann.username} important`);
    for (let n = 0; n < 110; n += 1) await say(bob, channel, `@${ann.username} ${n}`);
    await handled();
    await trimGrown(server.ctx);
    const { notifications, unread } = await list(ann, "?limit=200");
    expect([notifications.length, unread]).toEqual([101, 101]);
    expect(notifications.at(-1)?.from).toMatchObject({ name: cid.username });
  });

  test("is in the copy of the user's data, and is erased with the account, as are the reactions in others' lists", async () => {
    const [ann, bob] = [await server.newUser(), await server.newUser()];
    const channel = await newChannel(bob, ann);
    await say(bob, channel, `@${ann.username}`);
    const { message_id } = await say(bob, channel, "good");
    await ann.put(`/api/messages/${message_id}/reactions/like`);
    expect(await kinds(bob)).toEqual(["reaction"]);
    await handled();
    const copy = (await ann.get(`/api/user/${ann.username}/export`)).body;
    expect(copy.notifications).toMatchObject([{ kind: "mention", channel_id: channel }]);
    await ann.delete(`/api/user/${ann.username}`, { body: { password: PASSWORD } });
    await eraseAll(server.ctx);
    await handled();
    expect(await kinds(bob)).toEqual([]);
    const left = await server.ctx.db
      .selectFrom("notifications")
      .select("id")
      .where("channel_id", "=", channel)
      .execute();
    expect(left).toEqual([]);
  });
});
