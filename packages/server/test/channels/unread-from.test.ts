import { describe, expect, test } from "bun:test";
import { eachDatabase } from "../support/databases.ts";
import { expectError } from "../support/expect-error.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import { LiveSocket } from "../support/servers/live-socket.ts";
import { newChannel } from "../support/servers/realtime.ts";
import { type Client, eventually, startTestServer } from "../support/servers/test-server.ts";

/** What a user marks as unread, and marking everything as read, over real HTTP and sockets (protocol §3, §13.1). */
eachDatabase(async (_, open) => {
  const server = await forAllTests(startTestServer({ rateLimits: "off" }, { database: await open() }));
  const [ann, bob] = [await server.user("ann"), await server.user("bob")];

  const say = async (who: Client, channel_id: number, more: object = {}) => {
    const { status, body } = await who.post("/api/messages", { channel_id, content: "hello", ...more });
    expect(status).toBe(201);
    return { id: body.message_id as number, seq: body.seq as number };
  };
  const channelOf = async (who: Client, id: number) => (await who.get(`/api/channels/${id}`)).body.channel;
  /** What both reads of a channel say of the reading. */
  const reading = async (who: Client, id: number) => {
    const listed = (await who.get("/api/channels")).body.channels.find((each: { id: number }) => each.id === id);
    const { last_read_seq, unread_from_seq, unread_count } = await channelOf(who, id);
    expect(listed).toMatchObject({ last_read_seq, unread_from_seq, unread_count });
    return [last_read_seq, unread_from_seq, unread_count];
  };
  /** A channel of ann with bob, who has read the given number of messages by ann. */
  const room = async (messages: number): Promise<number> => {
    const { id } = await newChannel(ann);
    await bob.post(`/api/channels/${id}/join`);
    for (let n = 0; n < messages; n++) await say(ann, id);
    await bob.post(`/api/channels/${id}/read`);
    return id;
  };

  describe("POST /api/channels/:channel_id/unread", () => {
    test("makes the messages from a seq on unread, and leaves the read mark", async () => {
      const id = await room(5);
      const { status, body } = await bob.post(`/api/channels/${id}/unread`, { seq: 3 });
      expect(status).toBe(200);
      const state = { channel_id: id, last_read_seq: 5, unread_from_seq: 3, unread_count: 3, last_seq: 5 };
      expect(body).toEqual({ success: true, ...state });
      expect(await reading(bob, id)).toEqual([5, 3, 3]);
      expect(await reading(ann, id)).toEqual([0, null, 0]);
      await say(ann, id);
      expect(await reading(bob, id)).toEqual([5, 3, 4]);
      await bob.post(`/api/channels/${id}/unread`, { seq: 5 });
      expect(await reading(bob, id)).toEqual([5, 5, 2]);
    });

    test("is taken back by reading, message by message", async () => {
      const id = await room(5);
      await bob.post(`/api/channels/${id}/unread`, { seq: 2 });
      const read = async (seq?: number) => {
        await bob.post(`/api/channels/${id}/read`, seq === undefined ? {} : { seq });
        return reading(bob, id);
      };
      expect(await read(1)).toEqual([5, 2, 4]);
      expect(await read(3)).toEqual([5, 4, 2]);
      expect(await read(5)).toEqual([5, null, 0]);
      await bob.post(`/api/channels/${id}/unread`, { seq: 1 });
      expect(await read()).toEqual([5, null, 0]);
    });

    test("marks nothing that the channel does not have yet", async () => {
      const id = await room(2);
      const { body } = await bob.post(`/api/channels/${id}/unread`, { seq: 3 });
      expect(body).toMatchObject({ unread_from_seq: null, unread_count: 0 });
      for (const seq of [0, -1, 1.5, "1", 2 ** 53])
        expectError(await bob.post(`/api/channels/${id}/unread`, { seq }), 400, "invalid_request");
      expectError(await bob.post(`/api/channels/${id}/unread`, {}), 400, "invalid_request");
    });

    test("is refused to everybody except members", async () => {
      const { id } = await newChannel(ann);
      expectError(await bob.post(`/api/channels/${id}/unread`, { seq: 1 }), 403, "not_a_member");
      expectError(await server.guest.post(`/api/channels/${id}/unread`, { seq: 1 }), 401, "session_required");
      expectError(await bob.post("/api/channels/99999/unread", { seq: 1 }), 404, "channel_not_found");
    });

    test("works in direct conversations, and ends with the membership", async () => {
      const { channel_id: id } = (await bob.post("/api/direct", { username: "ann" })).body;
      for (let n = 0; n < 3; n++) await say(ann, id);
      await bob.post(`/api/channels/${id}/read`);
      await bob.post(`/api/channels/${id}/unread`, { seq: 2 });
      expect(await reading(bob, id)).toEqual([3, 2, 2]);
      const open = await room(3);
      await bob.post(`/api/channels/${open}/unread`, { seq: 1 });
      await bob.post(`/api/channels/${open}/leave`);
      await bob.post(`/api/channels/${open}/join`);
      expect(await reading(bob, open)).toEqual([3, null, 0]);
    });

    test("reaches all sockets of the user once, and nobody else's", async () => {
      const id = await room(3);
      await using phone = await LiveSocket.open(server.url, bob.credential);
      await using hers = await LiveSocket.open(server.url, ann.credential);
      for (let n = 0; n < 2; n++) await bob.post(`/api/channels/${id}/unread`, { seq: 2 });
      const heard = await phone.next("channel:read");
      expect(heard.data).toEqual({
        channel_id: id,
        last_read_seq: 3,
        unread_from_seq: 2,
        unread_count: 2,
        last_seq: 3,
      });
      for (const socket of [phone, hers]) await socket.settle();
      expect([phone, hers].map((socket) => socket.all("channel:read").length)).toEqual([1, 0]);
    });
  });

  test("a thread is marked as unread from a reply, and listed with it", async () => {
    const id = await room(0);
    const root = (await say(bob, id)).id;
    const replies = [];
    for (let n = 0; n < 3; n++) replies.push(await say(ann, id, { thread_root_id: root }));
    const path = `/api/messages/${root}/thread`;
    await bob.post(`${path}/read`);
    const seq = replies[1]?.seq ?? 0;
    const last = replies[2]?.seq ?? 0;
    const { body } = await bob.post(`${path}/unread`, { seq });
    expect(body).toEqual({
      success: true,
      message_id: root,
      last_read_seq: last,
      unread_from_seq: seq,
      unread_count: 2,
    });
    const [listed] = (await bob.get("/api/threads?unread=true")).body.threads;
    expect(listed).toMatchObject({ last_read_seq: last, unread_from_seq: seq, unread_count: 2 });
    expect((await bob.get(path)).body).toMatchObject({ last_read_seq: last, unread_from_seq: seq });
    // Only followers have a mark.
    await bob.delete(`${path}/follow`);
    expect((await bob.post(`${path}/unread`, { seq })).body).toMatchObject({ unread_from_seq: null, unread_count: 0 });
    await bob.put(`${path}/follow`);
    expect((await bob.get(path)).body.unread_from_seq).toBe(null);
  });

  describe("POST /api/read", () => {
    test("reads all channels, threads and notifications by one request, and tells each socket once", async () => {
      const carol = await server.user("carol");
      const rooms = await Promise.all([newChannel(ann), newChannel(ann), newChannel(ann)]);
      for (const { id } of rooms) await carol.post(`/api/channels/${id}/join`);
      const [first = 0, second = 0, third = 0] = rooms.map(({ id }) => id);
      const root = (await say(carol, first)).id;
      await say(ann, first, { thread_root_id: root });
      await say(ann, first, { content: "@carol look" });
      await say(ann, second);
      // The third is read, and marked as unread.
      await say(ann, third);
      await carol.post(`/api/channels/${third}/read`);
      await carol.post(`/api/channels/${third}/unread`, { seq: 1 });
      await eventually("carol is told of the mention", async () => (await unread(carol)) > 0);
      await using phone = await LiveSocket.open(server.url, carol.credential);
      await using hers = await LiveSocket.open(server.url, ann.credential);
      const { status, body } = await carol.post("/api/read");
      expect(status).toBe(200);
      expect(body).toMatchObject({ success: true, threads: 1, notifications: expect.any(Number) });
      expect(body.channels).toBeGreaterThanOrEqual(3);
      expect((await phone.next("read:all")).data).toEqual({ unread: 0 });
      for (const { id } of rooms)
        expect(await channelOf(carol, id)).toMatchObject({ unread_from_seq: null, unread_count: 0 });
      expect((await carol.get("/api/threads?unread=true")).body.threads).toEqual([]);
      expect(await unread(carol)).toBe(0);
      expect((await carol.post("/api/read")).body).toEqual({
        success: true,
        channels: 0,
        threads: 0,
        notifications: 0,
      });
      await say(ann, second);
      expect((await channelOf(carol, second)).unread_count).toBe(1);
      for (const socket of [phone, hers]) await socket.settle();
      expect([phone, hers].map((socket) => socket.all("read:all").length)).toEqual([1, 0]);
      expect(phone.all("channel:read")).toEqual([]);
      expect(phone.all("thread:read")).toEqual([]);
    });

    test("needs a session", async () => {
      expectError(await server.guest.post("/api/read"), 401, "session_required");
    });
  });

  const unread = async (who: Client): Promise<number> => (await who.get("/api/notifications")).body.unread;
});
