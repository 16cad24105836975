import { expect, test } from "bun:test";
import { isDeepStrictEqual } from "node:util";
import { eachDatabase } from "../support/databases.ts";
import { expectError } from "../support/expect-error.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import { type Frame, TestSocket } from "../support/servers/socket.ts";
import { type Client, eventually, startTestServer } from "../support/servers/test-server.ts";
import { auditLines, staff } from "../support/staff.ts";

/** What sockets learn of threads (protocol §13.1). */
eachDatabase(async (_, open) => {
  const server = await forAllTests(startTestServer({ rateLimits: "off" }, { database: await open() }));
  const [ann, bob] = [await server.user("ann"), await server.user("bob")];

  async function room(): Promise<{ id: number; root: number }> {
    const { channel_id: id } = (await ann.post("/api/channels", { name: `Room ${crypto.randomUUID()}` })).body;
    await bob.post(`/api/channels/${id}/join`);
    const { message_id: root } = (await ann.post("/api/messages", { channel_id: id, content: "a question" })).body;
    return { id, root };
  }

  async function listen(who: Client, channel_id: number): Promise<TestSocket> {
    const socket = await TestSocket.open(server.url, who.credential);
    expect((await socket.command("channel:join", { channel_id })).data.error).toBeUndefined();
    return socket;
  }

  const updates = ({ frames }: TestSocket): Frame[] => frames.filter(({ event }) => event === "thread:update");

  test("a socket replies, all sockets get the message, and one thread:update for replies in a row", async () => {
    const { id, root } = await room();
    using writer = await listen(bob, id);
    using reader = await listen(server.guest, id);
    const send = (n: number) =>
      writer.command("message:send", { channel_id: id, content: `reply ${n}`, thread_root_id: root });
    const sent = await Promise.all(Array.from({ length: 20 }, (_, n) => send(n)));
    expect(sent.map(({ event }) => event)).toEqual(sent.map(() => "ack"));
    const update = await reader.next(
      ({ event, data }) => event === "thread:update" && data.thread?.reply_count === sent.length,
    );
    expect(update.data).toMatchObject({
      channel_id: id,
      message_id: root,
      thread: {
        participants: [{ kind: "user", name: "bob" }],
        is_locked: false,
        following: null,
        unread_count: null,
      },
    });
    // Far fewer than the replies, however slow this machine is.
    expect(updates(reader).length).toBeLessThan(sent.length / 2);
    const shown = reader.frames.filter(({ event }) => event === "message:new").map(({ data }) => data.chat_message);
    expect(shown.filter(({ thread_root_id }) => thread_root_id === root)).toHaveLength(sent.length);
    const refused = await writer.command("message:send", {
      channel_id: id,
      content: "x",
      thread_root_id: shown.at(-1).id,
    });
    expect([refused.event, refused.data.code]).toEqual(["error", "not_a_thread_root"]);
  });

  test("a deletion is in the next thread:update; the last one says that there is no thread", async () => {
    const { id, root } = await room();
    using reader = await listen(server.guest, id);
    const body = { channel_id: id, content: "x", thread_root_id: root };
    const first = (await bob.post("/api/messages", body)).body.message_id;
    const second = (await ann.post("/api/messages", body)).body.message_id;
    const said = (count: number | undefined) =>
      reader.next(({ event, data }) => event === "thread:update" && data.thread?.reply_count === count);
    await said(2);
    await bob.delete(`/api/messages/${first}`);
    // An update between the two replies may have counted 1, too.
    await reader.next(
      ({ event, data }) =>
        event === "thread:update" &&
        isDeepStrictEqual([data.thread?.reply_count, data.thread?.participants], [1, [{ kind: "user", name: "ann" }]]),
    );
    await ann.delete(`/api/messages/${second}`);
    expect((await said(undefined)).data.thread).toBeNull();
  });

  test("typing in a thread is shown there, and ends where it began, not where the user types by then", async () => {
    const { id, root } = await room();
    using writer = await listen(bob, id);
    using reader = await listen(ann, id);
    const type = (command: string, more = {}) => writer.command(command, { channel_id: id, ...more });
    await type("typing:start", { thread_root_id: root });
    await type("typing:start", { thread_root_id: root });
    await type("typing:start");
    await type("typing:stop", { thread_root_id: root });
    await type("typing:stop");
    await reader.next(({ event, data }) => event === "typing" && data.typing === false);
    const seen = reader.frames.flatMap(({ event, data }) => (event === "typing" ? [data] : []));
    const who = { channel_id: id, kind: "user", name: "bob" };
    expect(seen).toEqual([
      { ...who, typing: true, thread_root_id: root },
      { ...who, typing: true },
      { ...who, typing: false },
    ]);
  });

  test("thread:read reaches all sockets of the user, and nobody else's", async () => {
    const { id, root } = await room();
    const reply = () => bob.post("/api/messages", { channel_id: id, content: "x", thread_root_id: root });
    const { seq } = (await reply()).body;
    const last = (await reply()).body.seq;
    using one = await TestSocket.open(server.url, ann.credential);
    using two = await listen(ann, id);
    using other = await listen(bob, id);
    const mark = { channel_id: id, message_id: root, following: true, unread_from_seq: null };
    const path = `/api/messages/${root}/thread`;
    let heard = 0;
    for (const [act, told] of [
      [() => ann.post(`${path}/read`, { seq }), { ...mark, last_read_seq: seq, unread_count: 1 }],
      [() => ann.post(`${path}/read`), { ...mark, last_read_seq: last, unread_count: 0 }],
      [
        () => ann.post(`${path}/unread`, { seq }),
        { ...mark, last_read_seq: last, unread_from_seq: seq, unread_count: 2 },
      ],
      [
        () => ann.post(`${path}/read`, { seq }),
        { ...mark, last_read_seq: last, unread_from_seq: seq + 1, unread_count: 1 },
      ],
      [() => ann.post(`${path}/read`), { ...mark, last_read_seq: last, unread_count: 0 }],
      [
        () => ann.post(`${path}/unread`, { seq: last }),
        { ...mark, last_read_seq: last, unread_from_seq: last, unread_count: 1 },
      ],
      [reply, null],
      [() => ann.delete(`${path}/follow`), { ...mark, following: false, last_read_seq: last + 1, unread_count: 0 }],
    ] as const) {
      expect((await act()).status).toBeWithin(200, 202);
      if (told === null) continue;
      for (const socket of [one, two]) {
        const marks = () => socket.frames.filter(({ event }) => event === "thread:read");
        await eventually("it is told", () => marks().length > heard);
        expect(marks().at(-1)?.data).toEqual(told);
      }
      heard += 1;
    }
    // What is sent after them arrives after them.
    await other.command("channel:join", { channel_id: id });
    expect(other.frames.filter(({ event, data }) => event === "thread:read" && data.message_id === root)).toEqual([]);
  });

  test("a lock is a message:update for all, and audited if it is by level", async () => {
    const { id, root } = await room();
    const mia = await staff(server, `mia${id}`, 1);
    await mia.post(`/api/channels/${id}/join`);
    using reader = await listen(server.guest, id);
    const lock = (who: Client, is_locked: boolean) => who.put(`/api/messages/${root}/thread`, { is_locked });
    expect((await lock(ann, true)).status).toBe(200);
    const locked = await reader.next(({ event, data }) => event === "message:update" && data.chat_message.id === root);
    expect(locked.data.chat_message.thread).toMatchObject({ is_locked: true, reply_count: 0 });
    const lines = async () => (await auditLines(server)).filter((line) => line.endsWith(`message:${root}`));
    expect(await lines()).toEqual([]);
    expect((await lock(mia, false)).status).toBe(200);
    expect((await lock(mia, false)).status).toBe(200);
    await reader.next(
      ({ event, data }) =>
        event === "message:update" && data.chat_message.id === root && data.chat_message.thread === null,
    );
    expect(await lines()).toEqual([`mia${id} thread_unlock message:${root}`]);
    expectError(await lock(bob, true), 403, "forbidden");
  });

  test("an old client gets every message, and a resume over a thousand replies each event once and in order", async () => {
    const { id, root } = await room();
    using first = await listen(server.guest, id);
    const start = (await first.command("channel:join", { channel_id: id })).data;
    const expected: number[] = [];
    const people = [ann, bob];
    // 990 messages and 10 deletions: as many events as a resume returns.
    for (let batch = 0; batch < 50; batch += 1) {
      const sent = await Promise.all(
        Array.from({ length: batch < 49 ? 20 : 10 }, async (_, n) => {
          const more =
            n % 4 === 0 ? {} : n % 4 === 1 ? { thread_root_id: root, also_in_channel: true } : { thread_root_id: root };
          const who = people[n % 2] ?? ann;
          const answer = await who.post("/api/messages", { channel_id: id, content: `${batch} ${n}`, ...more });
          expect(answer.status).toBe(201);
          return { who, ...answer.body } as { who: Client; message_id: number; seq: number };
        }),
      );
      expected.push(...sent.map(({ seq }) => seq));
      if (batch % 5 === 0) await sent[3]?.who.delete(`/api/messages/${sent[3].message_id}`);
    }
    expected.sort((a, b) => a - b);
    using second = await TestSocket.open(server.url);
    const from = { channel_id: id, after_seq: start.last_seq, epoch: start.epoch };
    const { data } = await second.command("channel:join", from);
    expect(data.recovered).toBe(true);
    const events = data.events as Frame[];
    expect(events).toHaveLength(1_000);
    const seqs = events.map((frame) => frame.data.seq as number);
    expect(seqs).toEqual(Array.from(seqs, (_, at) => start.last_seq + 1 + at));
    expect(seqs.at(-1)).toBe(data.last_seq);
    expect(events.filter(({ event }) => event === "message:new").map((frame) => frame.data.seq)).toEqual(expected);
    expect(events.filter(({ event }) => event === "message:delete")).toHaveLength(10);
    const live = () => first.frames.filter(({ event }) => event === "message:new").map((frame) => frame.data.seq);
    await first.next(({ event, data }) => event === "message:new" && data.seq === expected.at(-1));
    expect(live().filter((seq) => seq > start.last_seq)).toEqual(expected);
    const pages: number[] = [];
    for (let after: number | null = start.last_seq; after !== null; ) {
      const { body } = await server.guest.get(`/api/messages?channel_id=${id}&limit=200&after_seq=${after}`);
      pages.push(...body.messages.map(({ seq }: { seq: number }) => seq));
      after = body.has_more ? body.next_after_seq : null;
    }
    expect(pages).toEqual(expected);
  });
});

test("follows are limited", async () => {
  await using server = await startTestServer({ rateLimits: "on", rateFactor: 1 });
  const ann = await server.user("ann");
  const { message_id } = (await ann.post("/api/messages", { channel_slug: "general", content: "a question" })).body;
  const path = `/api/messages/${message_id}/thread/follow`;
  for (let n = 0; n < 60; n += 1) expect((await ann.put(path)).status).toBe(200);
  const refused = await ann.delete(path);
  expectError(refused, 429, "rate_limited");
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
});
