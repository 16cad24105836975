import { describe, expect, test } from "bun:test";
import { expectError } from "../support/expect-error.ts";
import { code, newChannel, realtimeBench } from "../support/servers/realtime.ts";
import type { Answered, Client, Named } from "../support/servers/test-server.ts";
import { setLevel } from "../support/staff.ts";

/** Direct conversations over real HTTP and sockets. */
const { server, open } = await realtimeBench();

const [root, ann, bob, cid] = [
  await server.newUser(),
  await server.newUser(),
  await server.newUser(),
  await server.newUser(),
];
await setLevel(server, root.username, 3);

const direct = (who: Client, username: unknown, key?: string): Promise<Answered> =>
  who.post("/api/direct", { username }, key === undefined ? {} : { headers: { "idempotency-key": key } });

/** Returns a conversation of two new users. */
async function conversation(): Promise<{ one: Named; other: Named; id: number; slug: string }> {
  const [one, other] = [await server.newUser(), await server.newUser()];
  const { body } = await direct(one, other.username);
  return { one, other, id: body.channel_id, slug: body.channel_slug };
}

const say = (who: Client, id: number, content = "hello") => who.post("/api/messages", { channel_id: id, content });

async function listed(who: Client, id: number): Promise<Record<string, unknown> | undefined> {
  return (await who.get("/api/channels")).body.channels.find((channel: { id: number }) => channel.id === id);
}

describe("POST /api/direct", () => {
  test("opens a conversation, and finds it again from either side", async () => {
    const first = await direct(ann, bob.username);
    expect(first.status).toBe(201);
    expect(first.body).not.toHaveProperty("deduplicated");
    expect(first.body.channel).toMatchObject({
      id: first.body.channel_id,
      name: [ann.username, bob.username].sort().join(", "),
      is_private: true,
      has_password: false,
      is_direct: true,
      direct_with: bob.username,
      owner_username: "system",
      my_role: "member",
      member_count: 2,
      agent_policy: "deny",
      pin_policy: "members",
      unread_count: 0,
    });
    const again = await direct(bob, ann.username.toUpperCase());
    expect(again.status).toBe(200);
    expect(again.body).toMatchObject({ channel_id: first.body.channel_id, deduplicated: true });
    expect(again.body.channel.direct_with).toBe(ann.username);
    expect((await listed(bob, first.body.channel_id))?.direct_with).toBe(ann.username);
  });

  test("returns the same response for a repeated Idempotency-Key, and records it once", async () => {
    const [one, other] = [await server.newUser(), await server.newUser()];
    const first = await direct(one, other.username, "open-once-1");
    const again = await direct(one, other.username, "open-once-1");
    expect([first.status, again.status]).toEqual([201, 200]);
    expect(again.body).toEqual({ ...first.body, deduplicated: true });
    expectError(await direct(one, ann.username, "open-once-1"), 409, "idempotency_conflict");
    const known = await direct(other, one.username, "open-once-2");
    const knownAgain = await direct(other, one.username, "open-once-2");
    expect(knownAgain.body).toEqual(known.body);
  });

  test("returns one conversation for many concurrent requests from both sides", async () => {
    const [one, other] = [await server.newUser(), await server.newUser()];
    const answers = await Promise.all(
      [0, 1, 2, 3, 4, 5].map((n) => (n % 2 ? direct(one, other.username) : direct(other, one.username))),
    );
    expect(new Set(answers.map(({ body }) => body.channel_id)).size).toBe(1);
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
  });

  test("refuses everybody it must", async () => {
    await server.agent("Directed");
    expectError(await direct(ann, "nobody-here"), 404, "user_not_found");
    expectError(await direct(ann, "Directed"), 404, "user_not_found");
    expectError(await direct(ann, ann.username), 400, "invalid_request");
    expectError(await direct(ann, ""), 400, "invalid_request");
    expectError(await direct(ann, 7), 400, "invalid_request");
    expectError(await direct(server.guest, ann.username), 401, "session_required");
    expectError(await direct(await server.agent(), ann.username), 401, "session_required");
  });
});

describe("a direct conversation", () => {
  test("works like a channel: messages, unread counts, pins, reactions and edits", async () => {
    const { one, other, id } = await conversation();
    const { body } = await say(one, id, "dinner?");
    expect(await listed(other, id)).toMatchObject({ unread_count: 1, last_read_seq: 0 });
    expect((await other.post(`/api/messages/${body.message_id}/pin`)).status).toBe(200);
    expect((await one.post(`/api/messages/${body.message_id}/unpin`)).status).toBe(200);
    expect((await other.put(`/api/messages/${body.message_id}/reactions/${encodeURIComponent("👍")}`)).status).toBe(
      200,
    );
    expect((await one.put(`/api/messages/${body.message_id}`, { content: "lunch?" })).status).toBe(200);
    expectError(await other.delete(`/api/messages/${body.message_id}`), 403, "forbidden");
    expect((await other.post(`/api/channels/${id}/read`)).body.unread_count).toBe(0);
    expect((await one.get(`/api/channels/${id}/members`)).body.members).toHaveLength(2);
  });

  test("is hidden from everybody else, including agents", async () => {
    const { id, slug } = await conversation();
    const agent = await server.agent("Curious");
    for (const outsider of [server.guest, cid, agent, root]) expect(await listed(outsider, id)).toBeUndefined();
    for (const outsider of [server.guest, cid, agent]) {
      expectError(await outsider.get(`/api/channels/${id}`), 404, "channel_not_found");
      expectError(await outsider.get(`/api/messages?channel_id=${id}`), 404, "channel_not_found");
    }
    expectError(await cid.post(`/api/channels/${id}/join`), 404, "channel_not_found");
    expectError(await say(cid, id), 404, "channel_not_found");
    const login = { channel_slug: slug, agent_name: "Curious" };
    expectError(await agent.post("/api/agenthub/login", login), 404, "channel_not_found");
    expectError(
      await agent.post("/api/agenthub/send", { channel_slug: slug, message: "hi" }),
      404,
      "channel_not_found",
    );
    await using socket = await open(cid);
    expect(code(await socket.ask("channel:join", { channel_id: id }))).toBe("error channel_not_found");
  });

  test("is read by administrators under audit, who cannot take part", async () => {
    const { one, id } = await conversation();
    const { body } = await say(one, id);
    const read = await root.get(`/api/channels/${id}`);
    expect(read.body.channel).toMatchObject({ is_direct: true, direct_with: null, my_role: null, unread_count: null });
    expectError(await say(root, id), 403, "post_policy");
    expectError(await root.post(`/api/channels/${id}/join`), 403, "forbidden");
    expectError(await root.post(`/api/channels/${id}/read`), 403, "not_a_member");
    expectError(await root.put(`/api/messages/${body.message_id}/reactions/like`), 403, "post_policy");
    const lines = await server.ctx.db
      .selectFrom("audit_log")
      .select("action")
      .where("subject", "=", `channel:${id}`)
      .execute();
    expect(lines).toEqual([{ action: "channel_read" }]);
  });

  const ACTS: Record<string, (who: Client, id: number, other: string) => Promise<Answered>> = {
    "change settings": (who, id) => who.put(`/api/channels/${id}`, { topic: "ours" }),
    "make it public": (who, id) => who.put(`/api/channels/${id}`, { is_private: false }),
    "give it a password": (who, id) => who.put(`/api/channels/${id}`, { password: "open sesame" }),
    "hand it over": (who, id, other) => who.put(`/api/channels/${id}`, { owner_username: other }),
    "let in a third": (who, id) => who.put(`/api/channels/${id}/members/${cid.username}`, {}),
    "let in an agent": (who, id) => who.put(`/api/channels/${id}/members/Directed`, {}),
    "make an admin": (who, id, other) => who.put(`/api/channels/${id}/members/${other}`, { role: "admin" }),
    mute: (who, id, other) =>
      who.put(`/api/channels/${id}/members/${other}`, { muted_until: "2100-01-01T00:00:00.000Z" }),
    kick: (who, id, other) => who.delete(`/api/channels/${id}/members/${other}`),
    ban: (who, id, other) => who.post(`/api/channels/${id}/bans`, { username: other }),
    "delete it": (who, id) => who.delete(`/api/channels/${id}`),
    "clear the guard": (who, id) => who.delete(`/api/channels/${id}/guard`),
  };

  test.each(Object.entries(ACTS))("does not allow anybody to %s", async (_name, act) => {
    const { one, other, id } = await conversation();
    for (const who of [one, other, root]) expectError(await act(who, id, other.username), 403, "forbidden");
    expect((await one.get(`/api/channels/${id}`)).body.channel).toMatchObject({ is_private: true, member_count: 2 });
  });

  test("is closed by leaving it and returns with a message, and the user is notified", async () => {
    const { one, other, id } = await conversation();
    await using desk = await open(other);
    await using hers = await open(one);
    expect((await other.post(`/api/channels/${id}/leave`)).status).toBe(200);
    expect([await listed(other, id), (await listed(one, id))?.id]).toEqual([undefined, id]);
    expect((await desk.next("channel:removed")).data).toEqual({ channel_id: id, reason: "left" });
    expect((await other.get(`/api/messages?channel_id=${id}`)).status).toBe(200);
    await say(one, id, "still there?");
    const { data } = await desk.next("channel:added");
    expect(data.channel).toMatchObject({ id, direct_with: one.username, unread_count: 1, my_role: "member" });
    expect(await listed(other, id)).toMatchObject({ unread_count: 1 });
    await other.post(`/api/channels/${id}/leave`);
    expect((await direct(other, one.username)).body).toMatchObject({ channel_id: id, deduplicated: true });
    expect(await listed(other, id)).toMatchObject({ id });
    await hers.settle();
    expect([...hers.all("channel:added"), ...hers.all("channel:removed")]).toEqual([]);
  });
});

describe("channel:added and channel:removed", () => {
  test("are sent to all sockets of a user with whom a conversation is opened", async () => {
    const [one, other] = [await server.newUser(), await server.newUser()];
    await using phone = await open(other);
    await using desk = await open(other);
    await using stranger = await open(cid);
    const { body } = await direct(one, other.username);
    for (const socket of [phone, desk]) {
      const { data } = await socket.next("channel:added");
      expect(data.channel).toMatchObject({ id: body.channel_id, direct_with: one.username, is_direct: true });
    }
    expect((await phone.ask("channel:join", { channel_id: body.channel_id })).data.channel.direct_with).toBe(
      one.username,
    );
    await direct(one, other.username);
    for (const socket of [phone, stranger]) await socket.settle();
    expect([phone.all("channel:added").length, stranger.all("channel:added").length]).toEqual([1, 0]);
  });

  test("are sent to users who are added, get another role, are removed, or leave a private channel elsewhere", async () => {
    const [owner, guest] = [await server.newUser(), await server.newUser()];
    const { id } = await newChannel(owner, { is_private: true });
    await using socket = await open(guest);
    expect((await owner.put(`/api/channels/${id}/members/${guest.username}`, {})).status).toBe(200);
    expect((await socket.next("channel:added")).data.channel).toMatchObject({ id, my_role: "member", unread_count: 0 });
    expect((await owner.put(`/api/channels/${id}/members/${guest.username}`, { role: "admin" })).status).toBe(200);
    expect((await owner.delete(`/api/channels/${id}/members/${guest.username}`)).status).toBe(200);
    const removed = await socket.next("channel:removed");
    expect(removed.data).toEqual({ channel_id: id, reason: "kicked" });
    expect((await owner.put(`/api/channels/${id}`, { owner_username: guest.username })).status).toBe(200);
    await socket.find(({ event, data }) => event === "channel:added" && data.channel.my_role === "owner");
    expect((await guest.put(`/api/channels/${id}`, { owner_username: owner.username })).status).toBe(200);
    expect((await guest.post(`/api/channels/${id}/leave`)).status).toBe(200);
    await socket.find(({ event, data }) => event === "channel:removed" && data.reason === "left");
    await socket.settle();
    expect(socket.all("channel:added").map(({ data }) => data.channel.my_role)).toEqual([
      "member",
      "admin",
      "owner",
      "admin",
    ]);
    // A user who becomes an admin receives this once, at the first change.
    for (const _ of [1, 2]) await owner.put(`/api/channels/${id}/members/${guest.username}`, { role: "admin" });
    await socket.settle();
    expect(
      socket
        .all("channel:added")
        .slice(4)
        .map(({ data }) => data.channel.my_role),
    ).toEqual(["admin"]);
  });
});
