import { describe, expect, test } from "bun:test";
import { UNREAD_COUNT_MAX } from "@parley/protocol/limits";
import { expectError } from "../support/expect-error.ts";
import { code, newChannel, realtimeBench } from "../support/servers/realtime.ts";
import type { Client } from "../support/servers/test-server.ts";

/** Read positions, over real HTTP and sockets (protocol §3, §8). */
const { server, open } = await realtimeBench();

const ann = await server.newUser();
const bob = await server.newUser();

async function say(who: Client, channelId: number, times = 1): Promise<number> {
  let seq = 0;
  for (let n = 0; n < times; n++) {
    const { status, body } = await who.post("/api/messages", { channel_id: channelId, content: `message ${n}` });
    expect(status).toBe(201);
    seq = body.seq;
  }
  return seq;
}

/** Returns what the list and the single channel say, which must agree. */
async function reading(who: Client, id: number): Promise<[number | null, number | null]> {
  const listed = (await who.get("/api/channels")).body.channels.find((channel: { id: number }) => channel.id === id);
  const { channel } = (await who.get(`/api/channels/${id}`)).body;
  expect(listed).toEqual(channel);
  return [channel.last_read_seq, channel.unread_count];
}

const read = (who: Client, id: number | string, body?: unknown) => who.post(`/api/channels/${id}/read`, body);

describe("the read position in a channel", () => {
  test("is shown to members, and is null for all others", async () => {
    const { id } = await newChannel(ann);
    await say(ann, id, 2);
    expect(await reading(ann, id)).toEqual([0, 0]);
    await bob.post(`/api/channels/${id}/join`);
    expect(await reading(bob, id)).toEqual([2, 0]);
    await say(ann, id, 3);
    await say(bob, id);
    expect(await reading(bob, id)).toEqual([2, 3]);
    expect(await reading(ann, id)).toEqual([0, 1]);
    const outsiders = [server.guest, await server.newUser(), await server.agent("Reader")];
    for (const outsider of outsiders) expect(await reading(outsider, id)).toEqual([null, null]);
  });

  test("is returned after joining, creating and changing a channel", async () => {
    const { status, body } = await ann.post("/api/channels", { name: "Fresh" });
    expect(status).toBe(201);
    expect(body.channel).toMatchObject({ last_read_seq: 0, unread_count: 0 });
    const id = body.channel_id;
    await say(ann, id);
    const joined = await bob.post(`/api/channels/${id}/join`);
    expect(joined.body.channel).toMatchObject({ last_read_seq: 1, unread_count: 0 });
    await say(bob, id);
    const changed = await ann.put(`/api/channels/${id}`, { topic: "tea" });
    expect(changed.body.channel).toMatchObject({ last_read_seq: 0, unread_count: 1 });
  });

  test("counts fewer when an unread message is deleted, and stops at the limit", async () => {
    const { id } = await newChannel(ann);
    await bob.post(`/api/channels/${id}/join`);
    await say(ann, id, UNREAD_COUNT_MAX + 2);
    expect(await reading(bob, id)).toEqual([0, UNREAD_COUNT_MAX]);
    const { messages } = (await ann.get(`/api/messages?channel_id=${id}&limit=5`)).body;
    for (const message of messages) await ann.delete(`/api/messages/${message.id}`);
    expect(await reading(bob, id)).toEqual([0, UNREAD_COUNT_MAX - 3]);
  });

  test.each(["last_read_seq", "unread_from_seq", "unread_count", "is_direct", "direct_with"])(
    "does not allow to write %s",
    async (field) => {
      const { id } = await newChannel(ann);
      expectError(await ann.put(`/api/channels/${id}`, { [field]: 1 }), 400, "field_not_writable");
    },
  );
});

describe("POST /api/channels/:channel_id/read", () => {
  test("marks up to a seq or everything, and never goes back or beyond the end", async () => {
    const { id } = await newChannel(ann);
    await bob.post(`/api/channels/${id}/join`);
    await say(ann, id, 4);
    const answer = await read(bob, id, { seq: 3 });
    expect(answer.status).toBe(200);
    const state = { channel_id: id, last_read_seq: 3, unread_from_seq: null, unread_count: 1, last_seq: 4 };
    expect(answer.body).toEqual({ success: true, ...state });
    expect((await read(bob, id, { seq: 1 })).body).toMatchObject({ last_read_seq: 3, unread_count: 1 });
    expect((await read(bob, id, { seq: 4_000 })).body).toMatchObject({ last_read_seq: 4, unread_count: 0 });
    await say(ann, id);
    expect((await read(bob, id)).body).toMatchObject({ last_read_seq: 5, unread_count: 0 });
    expect(await reading(bob, id)).toEqual([5, 0]);
  });

  test.each([{ seq: -1 }, { seq: 1.5 }, { seq: "1" }, { seq: 2 ** 53 }])(
    "refuses %j with 400 invalid_request",
    async (body) => {
      const { id } = await newChannel(ann);
      expectError(await read(ann, id, body), 400, "invalid_request");
    },
  );

  test("is refused to everybody except members", async () => {
    const [public_, locked, hidden] = [
      await newChannel(ann),
      await newChannel(ann, { is_private: true, password: "open sesame" }),
      await newChannel(ann, { is_private: true }),
    ];
    expectError(await read(bob, public_.id), 403, "not_a_member");
    expectError(await read(bob, locked.id), 403, "password_required");
    expectError(await read(bob, hidden.id), 404, "channel_not_found");
    expectError(await read(bob, 99_999), 404, "channel_not_found");
    expectError(await read(bob, "x"), 400, "invalid_id");
    expectError(await read(server.guest, public_.id), 401, "session_required");
    expectError(await read(await server.agent(), public_.id), 401, "session_required");
  });
});

describe("channel:read", () => {
  test("works the same on the socket, and reaches all sockets of the user and nobody else's", async () => {
    const { id, slug } = await newChannel(ann);
    await bob.post(`/api/channels/${id}/join`);
    await say(ann, id, 3);
    await using phone = await open(bob);
    await using desk = await open(bob);
    await using hers = await open(ann);
    for (const socket of [phone, desk, hers]) await socket.ask("channel:join", { channel_id: id });
    const ack = await phone.ask("channel:read", { channel_slug: slug, seq: 2 });
    const state = { channel_id: id, last_read_seq: 2, unread_from_seq: null, unread_count: 1, last_seq: 3 };
    expect(ack.data).toEqual({ success: true, ...state });
    const heard = await desk.next("channel:read");
    expect(heard.data).toEqual(state);
    expect((await desk.ask("channel:read", { channel_id: id })).data.last_read_seq).toBe(3);
    expect((await desk.ask("channel:read", { channel_id: id })).data.last_read_seq).toBe(3);
    await phone.find(({ event, data }) => event === "channel:read" && data.last_read_seq === 3);
    for (const socket of [phone, desk, hers]) await socket.settle();
    expect([phone, desk, hers].map((socket) => socket.all("channel:read").length)).toEqual([2, 2, 0]);
  });

  test("returns the codes of its HTTP route", async () => {
    const { id } = await newChannel(ann);
    const locked = await newChannel(ann, { is_private: true, password: "open sesame" });
    await using socket = await open(bob);
    await using guest = await open();
    expect(code(await guest.ask("channel:read", { channel_id: id }))).toBe("error session_required");
    expect(code(await socket.ask("channel:read", {}))).toBe("error channel_id_required");
    expect(code(await socket.ask("channel:read", { channel_id: 99_999 }))).toBe("error channel_not_found");
    expect(code(await socket.ask("channel:read", { channel_id: locked.id }))).toBe("error password_required");
    expect(code(await socket.ask("channel:read", { channel_id: id }))).toBe("error not_a_member");
    expect(code(await socket.ask("channel:read", { channel_id: id, seq: -1 }))).toBe("error invalid_request");
  });
});

test("joining by socket does not query unread messages", async () => {
  const { id } = await newChannel(ann);
  await using socket = await open(ann);
  const { data } = await socket.ask("channel:join", { channel_id: id });
  expect(data.channel).not.toHaveProperty("unread_count");
});
