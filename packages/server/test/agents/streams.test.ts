import { describe, expect, test } from "bun:test";
import { eachDatabase } from "../support/databases.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import { code, STREAMS, streamScene } from "../support/stream-scene.ts";

/** Protocol §12.7: messages that appear as they are written, and become one durable message. */
eachDatabase(async (_, open) => {
  const scene = await forAllTests(streamScene(open));

  test("grow before everybody's eyes and become one message in place", async () => {
    const { server, agent, start, room, append, finish, messagesIn, joined } = scene;
    const { slug, id: channelId } = await room();
    const { socket } = await joined(slug);
    using _ = socket;
    const started = await start(slug);
    const id = started.body.stream_id;
    const { data: begun } = await socket.next(({ event }) => event === "stream:start");
    expect(begun).toMatchObject({ channel_id: channelId, stream_id: id, agent_name: "Writer", thread_root_id: null });
    expect((await agent.post(`${STREAMS}/${id}/append`, { status: "reading 3 files" })).body.length).toBe(0);
    expect((await append(id, 0, "Hello, ")).body).toMatchObject({ stream_id: id, length: 7 });
    expect((await append(id, 7, "@ann")).body.length).toBe(11);
    const late = await joined(slug);
    late.socket.close();
    expect(late.ack.data.streams).toMatchObject([{ stream_id: id, content: "Hello, @ann", status: "reading 3 files" }]);
    const read = await server.guest.get(`${STREAMS}/${id}`);
    expect(read.body.stream).toMatchObject({ state: "open", length: 11, content: "Hello, @ann", message_id: null });
    expect(await messagesIn(slug)).toEqual([]);
    const done = await finish(id);
    expect(done).toMatchObject({
      status: 201,
      body: { stream_id: id, finish_reason: "finished", deduplicated: false },
    });
    expect(done.body.mentions).toMatchObject([{ type: "user", name: "ann" }]);
    const { data: ended } = await socket.next(({ event }) => event === "stream:end");
    expect(ended).toMatchObject({ stream_id: id, message_id: done.body.message_id, finish_reason: "finished" });
    const events = socket.frames
      .map(({ event }) => event)
      .filter((event) => /^(stream:(start|end)|message:new)/.test(event));
    expect(events).toEqual(["stream:start", "message:new", "stream:end"]);
    const told = socket.frames.find(({ event }) => event === "message:new");
    expect(told?.data.chat_message).toEqual(done.body.chat_message);
    expect(await messagesIn(slug)).toMatchObject([{ content: "Hello, @ann", stream_id: id, id: done.body.message_id }]);
    expect((await joined(slug)).ack.data.streams).toBeUndefined();
    const text = socket.frames.filter(({ event }) => event === "stream:delta").map(({ data }) => data.delta);
    expect("Hello, @ann".startsWith(text.join(""))).toBe(true);
    // For ever: whatever it is repeated with.
    for (const again of [await finish(id), await finish(id, { message: "something else" })])
      expect(again).toMatchObject({
        status: 200,
        body: { message_id: done.body.message_id, deduplicated: true, finish_reason: "finished" },
      });
    expect(code(await append(id, 11, "more"))).toEqual([409, "stream_over"]);
    expect(code(await agent.post(`${STREAMS}/${id}/cancel`))).toEqual([409, "stream_over"]);
    const plain = await agent.post("/api/agenthub/send", { channel_slug: slug, message: "plain" });
    expect("stream_id" in plain.body.chat_message).toBe(false);
  });

  test("hold the same text whatever the cuts, the repeats and the order of appends", async () => {
    const { room, begin, append, finish } = scene;
    const { slug } = await room();
    const texts = [
      "plain text of a few words",
      "日本語 and 😀 emoji 👩‍👩‍👧, mixed",
      "```js\nlet a = 1;\n```\n| a | b |",
    ];
    for (const text of texts) {
      const id = await begin(slug);
      const points = [...text];
      let held = 0;
      for (let turn = 0; held < text.length; turn += 1) {
        // Pieces of 1 to 9 characters; each third begins again up to 7 characters before.
        const from = turn % 3 === 2 ? Math.max(0, charsBefore(points, held) - (turn % 8)) : charsBefore(points, held);
        const piece = points.slice(from, from + 1 + ((turn * 7) % 9)).join("");
        const offset = points.slice(0, from).join("").length;
        const [one, two] = await Promise.all([append(id, offset, piece), append(id, offset, piece)]);
        held = Math.max(held, offset + piece.length);
        expect([one.status, two.status, one.body.length, two.body.length]).toEqual([200, 200, held, held]);
      }
      expect((await finish(id)).body.chat_message.content).toBe(text);
    }
    const id = await begin(slug);
    await append(id, 0, "abc");
    const gap = await append(id, 5, "x");
    expect([...code(gap), gap.body.details]).toEqual([409, "offset_mismatch", { length: 3 }]);
    expect((await append(id, 1, "xx")).body.details).toEqual({ length: 3 });
    expect((await append(id, 1, "bcde")).body.length).toBe(5);
    expect(code(await append(id, 3_999, "xx"))).toEqual([400, "message_too_long"]);
    expect((await finish(id, { message: "replaced" })).body.chat_message.content).toBe("replaced");
  });

  test("are started under the rules of a send, once", async () => {
    const { server, ann, agent, key, start, room, begin, append, finish, messagesIn } = scene;
    const { slug } = await room();
    const other = await room();
    const body = { channel_slug: slug, agent_name: "Writer", client_msg_id: key() };
    const [one, two] = await Promise.all([agent.post(STREAMS, body), agent.post(STREAMS, body)]);
    expect(one.body.stream_id).toBe(two.body.stream_id);
    expect([one.status, two.status].sort()).toEqual([200, 201]);
    expect(code(await agent.post(STREAMS, { ...body, channel_slug: other.slug }))).toEqual([
      409,
      "idempotency_conflict",
    ]);
    expect(code(await start(slug))).toEqual([409, "stream_limit_reached"]);
    const rooms = await Promise.all([room(), room(), room(), room()]);
    const ids = [one.body.stream_id];
    for (const { slug } of rooms) ids.push(await begin(slug));
    expect(code(await start(other.slug))).toEqual([409, "stream_limit_reached"]);
    for (const id of ids) expect((await agent.post(`${STREAMS}/${id}/cancel`)).body.state).toBe("cancelled");
    const again = await agent.post(`${STREAMS}/${ids[0]}/cancel`);
    expect([again.status, await messagesIn(slug)]).toEqual([200, []]);
    expect(code(await finish(ids[0]))).toEqual([409, "stream_over"]);

    await ann.post("/api/messages", { channel_slug: slug, content: "wait" });
    expect(code(await start(slug, { expected_last_seq: 0 }))).toEqual([409, "context_stale"]);
    expect(code(await start(slug, { reply_to_id: 999_999 }))).toEqual([404, "message_not_found"]);
    expect(code(await start(slug, {}, server.guest))).toEqual([401, "missing_api_key"]);
    expect(code(await start("nowhere"))).toEqual([404, "channel_not_found"]);
    const sent = { channel_slug: slug, agent_name: "Writer", message: "sent", client_msg_id: key() };
    await agent.post("/api/agenthub/send", sent);
    expect(code(await start(slug, { client_msg_id: sent.client_msg_id }))).toEqual([409, "idempotency_conflict"]);
    const denied = await room();
    await ann.put(`/api/channels/${denied.id}`, { agent_policy: "deny" });
    expect(code(await start(denied.slug))).toEqual([403, "agents_not_allowed"]);
    const empty = await begin(slug);
    expect(code(await finish(empty))).toEqual([400, "message_required"]);
    expect(code(await append(empty, 0, "x", await server.agent("Stranger")))).toEqual([404, "stream_not_found"]);
    expect(code(await agent.post(`${STREAMS}/${empty}/append`, { delta: "x" }))).toEqual([400, "invalid_request"]);
    expect(code(await agent.post(`${STREAMS}/${empty}/append`, {}))).toEqual([400, "invalid_request"]);
    expect(code(await agent.post(`${STREAMS}/x/append`, { status: "" }))).toEqual([400, "invalid_id"]);
    await agent.post(`${STREAMS}/${empty}/cancel`);
  });

  test("reply in threads, and keep the thread's lock", async () => {
    const { server, ann, room, begin, append, finish } = scene;
    const { slug, id: channelId } = await room();
    const { message_id: root } = (await ann.post("/api/messages", { channel_id: channelId, content: "why?" })).body;
    const id = await begin(slug, { thread_root_id: root, reply_to_id: root });
    await append(id, 0, "because");
    const done = await finish(id);
    expect(done.body.chat_message).toMatchObject({ thread_root_id: root, reply_to_id: root, also_in_channel: false });
    const locked = await begin(slug, { thread_root_id: root });
    await append(locked, 0, "and");
    expect((await ann.put(`/api/messages/${root}/thread`, { is_locked: true })).status).toBe(200);
    expect(code(await finish(locked))).toEqual([403, "thread_locked"]);
    expect((await server.guest.get(`${STREAMS}/${locked}`)).body.stream).toMatchObject({
      state: "cancelled",
      content: "",
    });
  });

  test("grow side by side in the threads of a channel, one in each", async () => {
    const { ann, agent, start, room, begin, append, finish } = scene;
    const { slug, id: channelId } = await room();
    const ask = async (content: string): Promise<number> =>
      (await ann.post("/api/messages", { channel_id: channelId, content })).body.message_id;
    const [first, second] = [await ask("one?"), await ask("two?")];
    const places = [{}, { thread_root_id: first }, { thread_root_id: second }];
    const ids: number[] = [];
    for (const place of places) ids.push(await begin(slug, place));
    for (const place of places) expect(code(await start(slug, place))).toEqual([409, "stream_limit_reached"]);
    for (const [at, id] of ids.entries()) await append(id, 0, `answer ${at}`);
    const done = await finish(ids[1] ?? 0);
    expect(done.body.chat_message).toMatchObject({ content: "answer 1", thread_root_id: first });
    const [one, two] = await Promise.all([start(slug, places[1]), start(slug, places[1])]);
    expect([one.status, two.status].sort()).toEqual([201, 409]);
    for (const id of [ids[0], ids[2], one.body.stream_id ?? two.body.stream_id])
      expect((await agent.post(`${STREAMS}/${id}/cancel`)).status).toBe(200);
  });

  describe("send-many", () => {
    test("sends all or none, with consecutive numbers, once", async () => {
      const { ann, agent, key, room, messagesIn } = scene;
      const many = (slug: string, messages: object[], more: object = {}) =>
        agent.post("/api/agenthub/send-many", { channel_slug: slug, agent_name: "Writer", messages, ...more });
      const { slug } = await room();
      const parts = ["one", "two", "three"].map((message) => ({ message, client_msg_id: key() }));
      const [first, twin] = await Promise.all([many(slug, parts), many(slug, parts)]);
      expect([first.status, twin.status].sort()).toEqual([200, 201]);
      const { messages } = first.body;
      expect(messages.map(({ content }: { content: string }) => content)).toEqual(["one", "two", "three"]);
      const seqs = messages.map(({ seq }: { seq: number }) => seq);
      expect(seqs).toEqual([seqs[0], seqs[0] + 1, seqs[0] + 2]);
      expect((await messagesIn(slug)).length).toBe(3);
      const mixed = [{ message: "new", client_msg_id: key() }, ...parts.slice(0, 1)];
      expect(code(await many(slug, mixed))).toEqual([409, "idempotency_conflict"]);
      const long = [{ message: "fits" }, { message: "x".repeat(4_001) }];
      expect(code(await many(slug, long))).toEqual([400, "message_too_long"]);
      for (const message of [undefined, null, "", 5])
        expect(code(await many(slug, [{ message: "fits" }, { message }]))).toEqual([400, "message_required"]);
      expect(code(await many(slug, [{ message: "fits" }, { message: " " }]))).toEqual([400, "message_required"]);
      expect(code(await many(slug, [{ message: "alone" }]))).toEqual([400, "invalid_request"]);
      expect((await messagesIn(slug)).length).toBe(3);
      const keyed = { headers: { "idempotency-key": "many-many" } };
      const body = { channel_slug: slug, agent_name: "Writer", messages: [{ message: "a" }, { message: "b" }] };
      const answers = [
        await agent.post("/api/agenthub/send-many", body, keyed),
        await agent.post("/api/agenthub/send-many", body, keyed),
      ];
      expect(answers.map(({ status }) => status)).toEqual([201, 200]);
      const thread = messages[0].id;
      expect((await many(slug, [{ message: "r1" }, { message: "r2" }], { thread_root_id: thread })).status).toBe(201);
      const { body: of } = await ann.get(`/api/messages/${thread}/thread`);
      expect(of.messages.length).toBe(3);
    });
  });
});

/** The number of code points of a text's first `units` UTF-16 units. */
function charsBefore(points: readonly string[], units: number): number {
  let at = 0;
  for (let seen = 0; seen < units; at += 1) seen += points[at]?.length ?? 1;
  return at;
}
