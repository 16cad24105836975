import { expect, test } from "bun:test";
import type { ChatMessage } from "@parley/protocol/models";
import { transact } from "../../src/db/transact.ts";
import { channelFeed } from "../../src/event-log/feed/feed.ts";
import { recount } from "../../src/messages/threads/summaries.ts";
import { eachDatabase } from "../support/databases.ts";
import { expectError } from "../support/expect-error.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import { type Client, startTestServer } from "../support/servers/test-server.ts";

/** Threads over real HTTP, on every database (protocol §13.1). */
eachDatabase(async (_, open) => {
  const server = await forAllTests(startTestServer({}, { database: await open() }));
  const [ann, bob, eve] = [await server.user("ann"), await server.user("bob"), await server.user("eve")];

  interface Room {
    id: number;
    slug: string;
    root: number;
  }

  async function room(settings: Record<string, unknown> = {}): Promise<Room> {
    const { body } = await ann.post("/api/channels", { name: `Room ${crypto.randomUUID()}`, ...settings });
    const { channel_id: id, channel_slug: slug } = body;
    return { id, slug, root: await say(ann, { channel_id: id, content: "a question" }) };
  }

  async function say(who: Client, body: Record<string, unknown>): Promise<number> {
    const answer = await who.post("/api/messages", { content: "hello", ...body });
    expect(answer.body).toMatchObject({ success: true });
    return answer.body.message_id;
  }

  const reply = (who: Client, { id, root }: Room, more: Record<string, unknown> = {}) =>
    say(who, { channel_id: id, thread_root_id: root, ...more });
  const listed = async (who: Client, path: string): Promise<ChatMessage[]> => (await who.get(path)).body.messages;
  const rootOf = async (who: Client, { id, root }: Room): Promise<ChatMessage | undefined> =>
    (await listed(who, `/api/messages?channel_id=${id}`)).find((message) => message.id === root);
  const unreadIn = async (who: Client, { id }: Room): Promise<number> =>
    (await who.get(`/api/channels/${id}`)).body.channel.unread_count;

  test("a root says who replied, from memory and from the database, and a deletion is counted", async () => {
    const place = await room();
    const first = await reply(bob, place);
    const last = await reply(eve, place);
    const thread = {
      reply_count: 2,
      is_locked: false,
      participants: [
        { kind: "user", name: "eve" },
        { kind: "user", name: "bob" },
      ],
    };
    expect((await rootOf(server.guest, place))?.thread).toMatchObject({
      ...thread,
      following: null,
      unread_count: null,
    });
    expect((await rootOf(ann, place))?.thread).toMatchObject({ ...thread, following: true, unread_count: 2 });
    const [byId] = await listed(ann, `/api/messages?channel_id=${place.id}&ids=${place.root}`);
    expect(byId).toEqual((await rootOf(ann, place)) as ChatMessage);
    // Memory that was given back is read from the database again.
    (await channelFeed(server.ctx, place.id)).memory.forget();
    expect(byId).toEqual((await rootOf(ann, place)) as ChatMessage);
    expect((await channelFeed(server.ctx, place.id)).memory.isForgotten).toBe(false);
    expect(byId).toEqual((await rootOf(ann, place)) as ChatMessage);
    expect((await eve.delete(`/api/messages/${last}`)).status).toBe(200);
    expect((await rootOf(ann, place))?.thread).toMatchObject({
      reply_count: 1,
      participants: [{ kind: "user", name: "bob" }],
      unread_count: 1,
    });
    await bob.delete(`/api/messages/${first}`);
    expect((await rootOf(ann, place))?.thread).toBeNull();
  });

  test("a reply is refused where there is no thread", async () => {
    const place = await room();
    const other = await room();
    const send = (body: object) => bob.post("/api/messages", { channel_id: place.id, content: "x", ...body });
    const inside = await reply(bob, place);
    expectError(await send({ thread_root_id: inside }), 400, "not_a_thread_root");
    expectError(await send({ thread_root_id: other.root }), 404, "message_not_found");
    expectError(await send({ also_in_channel: true }), 400, "invalid_request");
    await ann.delete(`/api/messages/${place.root}`);
    expectError(await send({ thread_root_id: place.root }), 409, "message_deleted");
    const page = await bob.get(`/api/messages/${place.root}/thread`);
    expect(page.body.root).toMatchObject({ is_deleted: true, thread: { reply_count: 1 } });
    expectError(await bob.get(`/api/messages/${inside}/thread`), 400, "not_a_thread_root");
  });

  test("a page of a thread has the cursors of a history, and begins with the root", async () => {
    const place = await room();
    const ids = [place.root];
    for (let n = 0; n < 7; n++) {
      ids.push(await reply(bob, place));
      await say(ann, { channel_id: place.id });
    }
    const path = `/api/messages/${place.root}/thread`;
    const newest = await bob.get(`${path}?limit=3`);
    expect(newest.body.messages.map(({ id }: ChatMessage) => id)).toEqual(ids.slice(-3));
    const read: number[] = [];
    for (let before: number | null = newest.body.next_before; before !== null; ) {
      const { body } = await bob.get(`${path}?limit=3&before=${before}`);
      read.unshift(...body.messages.map(({ id }: ChatMessage) => id));
      before = body.next_before;
    }
    expect(read).toEqual(ids.slice(0, -3));
    const up: number[] = [];
    for (let after: number | null = 0; after !== null; ) {
      const { body } = await bob.get(`${path}?limit=3&after_seq=${after}`);
      up.push(...body.messages.map(({ id }: ChatMessage) => id));
      after = body.has_more ? body.next_after_seq : null;
    }
    expect(up).toEqual(ids);
    const after = await bob.get(`${path}?after=${ids[5]}`);
    expect(after.body.messages.map(({ id }: ChatMessage) => id)).toEqual(ids.slice(6));
    expectError(await bob.get(`${path}?after=${ids[5]}&before=${ids[5]}`), 400, "invalid_cursor");
  });

  test("threads=collapse leaves out replies with every cursor, and inline shows all", async () => {
    const place = await room();
    const shown = [place.root];
    const all = [place.root];
    for (let n = 0; n < 12; n++) {
      const also_in_channel = n % 4 === 0;
      const id = n % 3 === 0 ? await say(ann, { channel_id: place.id }) : await reply(bob, place, { also_in_channel });
      all.push(id);
      if (n % 3 === 0 || also_in_channel) shown.push(id);
    }
    const path = `/api/messages?channel_id=${place.id}&threads=collapse`;
    const idsOf = async (more = ""): Promise<number[]> => (await listed(bob, `${path}${more}`)).map(({ id }) => id);
    expect(await idsOf()).toEqual(shown);
    expect(await idsOf("&limit=3")).toEqual(shown.slice(-3));
    expect(await idsOf("&after_seq=0")).toEqual(shown);
    expect(await idsOf(`&before=${all[10]}`)).toEqual(shown.filter((id) => id < (all[10] ?? 0)));
    expect(await idsOf(`&after=${all[2]}`)).toEqual(shown.filter((id) => id > (all[2] ?? 0)));
    expect(await idsOf("&since=2000-01-01T00:00:00Z")).toEqual(shown);
    expect(await idsOf(`&around=${all[6]}`)).toEqual(shown);
    expect((await listed(bob, `/api/messages?channel_id=${place.id}`)).map(({ id }) => id)).toEqual(all);
  });

  test("who replies, is mentioned or wrote the root follows, and only followers have unread replies", async () => {
    const place = await room();
    const dan = await server.user(`dan${place.id}`);
    await say(dan, { channel_id: place.id });
    await dan.post(`/api/channels/${place.id}/read`, {});
    await ann.post(`/api/channels/${place.id}/read`, {});
    await reply(bob, place);
    expect([await unreadIn(ann, place), await unreadIn(dan, place)]).toEqual([1, 0]);
    await reply(bob, place, { also_in_channel: true });
    expect([await unreadIn(ann, place), await unreadIn(dan, place)]).toEqual([2, 1]);
    await reply(bob, place, { content: `@dan${place.id} look` });
    expect((await rootOf(dan, place))?.thread).toMatchObject({ following: true, unread_count: 1 });
    const { body } = await dan.get("/api/threads?unread=true");
    expect(body.threads).toMatchObject([{ root: { id: place.root }, unread_count: 1 }]);
    const path = `/api/messages/${place.root}/thread`;
    expect((await dan.post(`${path}/read`, {})).body).toMatchObject({ message_id: place.root, unread_count: 0 });
    expect((await dan.get("/api/threads?unread=true")).body.threads).toEqual([]);
    expect((await dan.get(`/api/threads?channel_id=${place.id}`)).body.threads.length).toBe(1);
    expect((await dan.delete(`${path}/follow`)).body).toMatchObject({ following: false });
    await reply(bob, place, { content: `@dan${place.id} again` });
    expect((await rootOf(dan, place))?.thread).toMatchObject({ following: false, unread_count: 0 });
    await reply(dan, place);
    await reply(bob, place);
    expect((await rootOf(dan, place))?.thread).toMatchObject({ following: true, unread_count: 1 });
    expect((await eve.put(`${path}/follow`)).body).toMatchObject({ following: true });
    expect((await rootOf(eve, place))?.thread).toMatchObject({ following: true, unread_count: 0 });
  });

  test("the followed threads come in pages, the newest first, each once", async () => {
    const fay = await server.user("fay");
    const roots: number[] = [];
    for (let n = 0; n < 5; n++) {
      const place = await room();
      await reply(fay, place);
      roots.unshift(place.root);
    }
    const pages: number[][] = [];
    for (let before = ""; before !== "&before=null" && pages.length < 5; ) {
      const { body } = await fay.get(`/api/threads?limit=2${before}`);
      pages.push(body.threads.map(({ root }: { root: ChatMessage }) => root.id));
      expect(body).toMatchObject({ limit: 2, has_more: body.next_before !== null });
      before = `&before=${body.next_before}`;
    }
    expect(pages).toEqual([roots.slice(0, 2), roots.slice(2, 4), roots.slice(4)]);
  });

  test("in a locked thread only admins reply, and the lock is a durable event", async () => {
    const place = await room();
    await reply(bob, place);
    const path = `/api/messages/${place.root}/thread`;
    expectError(await bob.put(path, { is_locked: true }), 403, "forbidden");
    const before = (await bob.get(`/api/messages?channel_id=${place.id}`)).body.last_seq;
    expect((await ann.put(path, { is_locked: true })).body.chat_message.thread).toMatchObject({ is_locked: true });
    expect((await bob.get(`/api/messages?channel_id=${place.id}`)).body.last_seq).toBe(before + 1);
    const refused = await bob.post("/api/messages", { channel_id: place.id, content: "x", thread_root_id: place.root });
    expectError(refused, 403, "thread_locked");
    await reply(ann, place);
    expect((await rootOf(bob, place))?.thread).toMatchObject({ is_locked: true, reply_count: 2 });
  });

  test("the thread of a deleted root can neither be locked nor unlocked", async () => {
    for (const isLocked of [false, true]) {
      const place = await room();
      await reply(bob, place);
      const path = `/api/messages/${place.root}/thread`;
      expect((await ann.put(path, { is_locked: isLocked })).status).toBe(200);
      expect((await ann.delete(`/api/messages/${place.root}`)).status).toBe(200);
      for (const is_locked of [true, false]) expectError(await ann.put(path, { is_locked }), 409, "message_deleted");
    }
  });

  test("an agent replies in a thread, and under mention_only where the root mentions it", async () => {
    const place = await room({ agent_policy: "mention_only" });
    const name = `Helper${place.id}`;
    const agent = await server.agent(name);
    const send = (thread_root_id: number) =>
      agent.post("/api/agenthub/send", { channel_slug: place.slug, message: "hi", agent_name: name, thread_root_id });
    expectError(await send(place.root), 403, "agents_not_allowed");
    const asked = await say(ann, { channel_id: place.id, content: `@${name} help` });
    const answered = await send(asked);
    expect(answered.body.chat_message).toMatchObject({ thread_root_id: asked, also_in_channel: false });
    await say(ann, { channel_id: place.id, thread_root_id: asked, content: `@${name} more` });
    const { body } = await agent.get("/api/agenthub/mentions?mark_read=false");
    expect(body.mentions.at(-1)).toMatchObject({ thread_root_id: asked });
    expect(body.mentions.at(-1).rendered).toContain(`thread=${asked}`);
    const page = await agent.get(`/api/agenthub/messages?channel_slug=${place.slug}&threads=collapse`);
    expect(page.body.messages.map(({ id }: ChatMessage) => id)).toEqual([place.root, asked]);
  });

  test("counts equal a recount under concurrent replies and deletions", async () => {
    const place = await room();
    const people = [ann, bob, eve];
    const ids = await Promise.all(Array.from({ length: 30 }, (_, n) => reply(people[n % 3] ?? ann, place)));
    await Promise.all([
      ...ids.map((id, n) => (n % 2 === 0 || n > 24 ? (people[n % 3] ?? ann).delete(`/api/messages/${id}`) : null)),
      ...Array.from({ length: 6 }, (_, n) => reply(people[n % 3] ?? ann, place)),
    ]);
    const kept = await rootOf(server.guest, place);
    const counted = await transact(server.ctx, (ctx) => recount(ctx.db, place.root));
    const [after] = await listed(server.guest, `/api/messages?channel_id=${place.id}&ids=${place.root}`);
    expect(counted?.thread).not.toBeNull();
    expect(after?.thread).toEqual(kept?.thread as never);
    expect(kept?.thread?.reply_count).toBe(30 - 15 - 3 + 6);
  });
});
