import { expect, test } from "bun:test";
import { closeDuePolls } from "../../src/polls/close-due.ts";
import { searchConsumer } from "../../src/search/index/message-index.ts";
import { datedClock } from "../support/clock.ts";
import { eachDatabase } from "../support/databases.ts";
import { expectError } from "../support/expect-error.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import { newChannel } from "../support/new-channel.ts";
import { currentClient } from "../support/servers/mcp-clients.ts";
import { TestSocket } from "../support/servers/socket.ts";
import { type Client, eventually, startTestServer } from "../support/servers/test-server.ts";
import { staff } from "../support/staff.ts";

const TEA = { question: "Tea?", options: ["Green", "Black", "None"] };

/** Polls over real HTTP (protocol §13.7). */
eachDatabase(async (_, open) => {
  const clock = datedClock();
  const server = await forAllTests(startTestServer({ rateLimits: "off" }, { database: await open(), clock }));
  const made = async (who: Client, channel_id: number, more: object = {}) => {
    const answer = await who.post("/api/polls", { channel_id, ...TEA, ...more });
    expect([answer.status, answer.body.code]).toEqual([201, undefined]);
    return answer.body;
  };
  const vote = (who: Client, id: number, ...option_ids: number[]) => who.put(`/api/polls/${id}/vote`, { option_ids });
  const shown = async (who: Client, channelId: number, id: number) =>
    (await who.get(`/api/messages?channel_id=${channelId}&ids=${id}`)).body.messages[0];
  const counts = (poll: { options: { count: number }[] }) => poll.options.map(({ count }) => count);
  const updates = (socket: TestSocket, id: number) =>
    socket.frames.filter(({ event, data }) => event === "poll:update" && data.poll.poll_id === id);

  test("a poll is a message that everybody in the channel sees, votes in and follows", async () => {
    const [ann, ben] = [await server.newUser(), await server.newUser()];
    const { id: room } = await newChannel(ann);
    using socket = await TestSocket.open(server.url, ann.credential);
    await socket.command("channel:join", { channel_id: room });
    const { poll, message_id: id, seq, deduplicated } = await made(ann, room);
    const options = TEA.options.map((text, at) => ({ option_id: at + 1, text, count: 0, voters: [] }));
    expect(poll).toEqual({
      poll_id: id,
      question: "Tea?",
      options,
      multiple: false,
      anonymous: false,
      total_voters: 0,
      my_votes: [],
      status: "open",
      closes_at: null,
    });
    expect(deduplicated).toBe(false);
    const { data } = await socket.next(({ event }) => event === "message:new");
    expect(data).toMatchObject({ seq, chat_message: { id, type: "poll", content: "Tea?\n- Green\n- Black\n- None" } });
    expect(data.chat_message.poll).toEqual({ ...poll, my_votes: null });

    const voted = await vote(ben, id, 2);
    expect(voted.status).toBe(200);
    expect(voted.body.poll).toMatchObject({ total_voters: 1, my_votes: [2] });
    expect(voted.body.poll.options[1]).toMatchObject({ count: 1, voters: [{ username: ben.username }] });
    const told = await socket.next(({ event }) => event === "poll:update");
    expect(told.data).toEqual({
      channel_id: room,
      seq: expect.any(Number),
      poll: { ...voted.body.poll, my_votes: null },
    });
    // Voting has joined the channel.
    expect(JSON.stringify((await ann.get(`/api/channels/${room}/members`)).body)).toContain(ben.username);

    for (const [who, mine] of [
      [ann, []],
      [ben, [2]],
      [server.guest, null],
    ] as const) {
      expect((await shown(who, room, id)).poll).toEqual({ ...voted.body.poll, my_votes: mine });
      const newest = (await who.get(`/api/messages?channel_id=${room}`)).body.messages;
      expect(newest.find((each: { id: number }) => each.id === id).poll.my_votes).toEqual(mine);
    }
    expect(counts((await vote(ben, id, 1)).body.poll)).toEqual([1, 0, 0]);
    expect((await vote(ben, id)).body.poll).toMatchObject({ total_voters: 0, my_votes: [] });
    await socket.next(({ event, data }) => event === "poll:update" && data.poll.total_voters === 0);
    const before = updates(socket, id).length;
    expect((await vote(ben, id)).status).toBe(200);
    expect((await vote(ann, id, 3)).status).toBe(200);
    await socket.next(({ event, data }) => event === "poll:update" && data.poll.options[2].count === 1);
    expect(updates(socket, id)).toHaveLength(before + 1);
  });

  test("several options are chosen only where the poll takes several", async () => {
    const ann = await server.newUser();
    const { id: room } = await newChannel(ann);
    const one = await made(ann, room);
    expectError(await vote(ann, one.message_id, 1, 2), 400, "one_option_only");
    const many = await made(ann, room, { multiple: true });
    const { poll } = (await vote(ann, many.message_id, 3, 1)).body;
    expect(poll).toMatchObject({ my_votes: [1, 3], total_voters: 1, multiple: true });
    expect(counts(poll)).toEqual([1, 0, 1]);
    expect(counts((await vote(ann, many.message_id, 2, 1)).body.poll)).toEqual([1, 1, 0]);
  });

  test("a repeated request makes one poll, and another body is refused", async () => {
    const ann = await server.newUser();
    const scout = await server.agent();
    const { id: room, slug } = await newChannel(ann);
    const body = { ...TEA, channel_slug: slug, client_msg_id: `poll-${room}`, closes_in: 60 };
    for (const [who, path, more] of [
      [ann, "/api/polls", {}],
      [scout, "/api/agenthub/polls", { agent_name: "Asker" }],
    ] as const) {
      const first = await who.post(path, { ...body, ...more });
      await vote(ann, first.body.message_id, 1);
      const again = await who.post(path, { ...body, ...more });
      expect([first.status, again.status]).toEqual([201, 200]);
      expect(again.body).toMatchObject({ message_id: first.body.message_id, seq: first.body.seq, deduplicated: true });
      expect(again.body.poll.total_voters).toBe(1);
      const other = { ...body, ...more, anonymous: true };
      expectError(await who.post(path, other), 409, "idempotency_conflict");
      const headers = { "idempotency-key": `header-${path}` };
      const { client_msg_id: _, ...keyed } = { ...body, ...more };
      const twins = await Promise.all([1, 2].map(() => who.post(path, keyed, { headers })));
      expect(new Set(twins.map(({ body }) => body.message_id)).size).toBe(1);
    }
  });

  test("an agent makes and closes its poll, over REST and MCP, and does not vote", async () => {
    const ann = await server.newUser();
    const scout = await server.agent("Pollster");
    const { id: room, slug } = await newChannel(ann);
    const { body, status } = await scout.post("/api/agenthub/polls", { channel_slug: slug, ...TEA });
    expect([status, body.poll.my_votes]).toEqual([201, null]);
    const message = await shown(ann, room, body.message_id);
    expect(message).toMatchObject({ agent_name: "Pollster", type: "poll", sender_type: "agent" });
    expectError(await vote(scout, body.message_id, 1), 401, "session_required");
    expect((await vote(ann, body.message_id, 1)).status).toBe(200);
    const close = `/api/polls/${body.message_id}/close`;
    expectError(await (await server.agent()).post(close), 403, "forbidden");
    expect((await scout.post(close)).body.poll).toMatchObject({ status: "closed", total_voters: 1, my_votes: null });
    await using mcp = await currentClient(server.url, scout.apiKey, "auto");
    const asked = await mcp.call("create_poll", { channel: slug, question: "Lunch?", options: ["Now", "Later"] });
    expect(asked.body.poll).toMatchObject({ question: "Lunch?", status: "open" });
    const envelope = (await scout.get(`/api/agenthub/messages?channel_slug=${slug}&format=context`)).body;
    expect(JSON.stringify(envelope)).toContain("Lunch?");
  });

  test("its maker, the channel's admins and moderators close a poll, others do not", async () => {
    const [ann, ben, eve] = [await server.newUser(), await server.newUser(), await server.newUser()];
    const mod = await staff(server, `mod-${clock.now()}`, 1);
    const { id: room } = await newChannel(ann);
    const ofBen = async () => (await made(ben, room)).message_id;
    const close = (who: Client, id: number) => who.post(`/api/polls/${id}/close`);
    expectError(await close(eve, await ofBen()), 403, "forbidden");
    for (const who of [ann, ben, mod]) {
      const id = await ofBen();
      expect((await close(who, id)).body.poll.status).toBe("closed");
      expect((await close(who, id)).status).toBe(200);
      expectError(await vote(eve, id, 1), 409, "poll_closed");
    }
    const audited = await server.ctx.db
      .selectFrom("audit_log")
      .selectAll()
      .where("action", "=", "poll_close")
      .execute();
    expect(audited.map(({ actor }) => actor)).toEqual([mod.username]);
    expectError(await close(ann, 999_999), 404, "poll_not_found");
    expectError(await ann.put(`/api/messages/${await ofBen()}`, { content: "x" }), 403, "forbidden");
    expectError(await ben.put(`/api/messages/${await ofBen()}`, { content: "x" }), 409, "message_has_interaction");
  });

  test("a poll closes by itself at its time, once, also after its channel was restored", async () => {
    const ann = await server.newUser();
    const { id: room } = await newChannel(ann);
    using socket = await TestSocket.open(server.url, ann.credential);
    await socket.command("channel:join", { channel_id: room });
    const { message_id: id, poll } = await made(ann, room, { closes_in: 60 });
    expect(poll.closes_at).not.toBeNull();
    await closeDuePolls(server.ctx);
    expect((await shown(ann, room, id)).poll.status).toBe("open");
    clock.ahead += 60_000;
    expectError(await vote(ann, id, 1), 409, "poll_closed");
    await Promise.all([closeDuePolls(server.ctx), closeDuePolls(server.ctx)]);
    await socket.next(({ event, data }) => event === "poll:update" && data.poll.status === "closed");
    expect((await shown(ann, room, id)).poll.status).toBe("closed");
    expect(updates(socket, id)).toHaveLength(1);

    const other = await made(ann, room, { closes_in: 60 });
    await ann.delete(`/api/channels/${room}`);
    clock.ahead += 60_000;
    await closeDuePolls(server.ctx);
    await server.ctx.db.updateTable("channels").set({ deleted_at: null }).where("id", "=", room).execute();
    await closeDuePolls(server.ctx);
    const row = server.ctx.db.selectFrom("polls").select("closed_at").where("message_id", "=", other.message_id);
    await eventually("it is closed", async () => (await row.executeTakeFirst())?.closed_at ?? undefined);
  });

  test("search finds a poll by its question, and replies, threads, pins and reports work as for messages", async () => {
    const ann = await server.newUser();
    const { id: room } = await newChannel(ann);
    const { message_id: id } = await made(ann, room, { question: "Wombat or numbat?" });
    await searchConsumer(server.ctx).flush();
    const found = (await ann.get("/api/search/messages?q=numbat")).body.messages;
    expect(found.map((each: { id: number }) => each.id)).toEqual([id]);
    expect((await ann.post("/api/messages", { channel_id: room, content: "hm", thread_root_id: id })).status).toBe(201);
    expect((await ann.post(`/api/messages/${id}/pin`)).status).toBe(200);
    expect((await ann.put(`/api/messages/${id}/reactions/like`)).status).toBe(200);
    await vote(ann, id, 1);
    expect(await shown(ann, room, id)).toMatchObject({
      type: "poll",
      is_pinned: true,
      thread: { reply_count: 1 },
      reactions: [{ reaction: "like", count: 1, me: true }],
      poll: { total_voters: 1, my_votes: [1] },
    });
    expect((await ann.get(`/api/channels/${room}/pins`)).body.messages[0]).toMatchObject({ poll: { my_votes: [1] } });
    const ben = await server.newUser();
    expect((await ben.post(`/api/messages/${id}/report`, { reason: "rude" })).status).toBe(201);
    const inThread = await made(ann, room, { thread_root_id: id });
    expect(await shown(ann, room, inThread.message_id)).toMatchObject({ thread_root_id: id, type: "poll" });
  });
});
