import { expect, test } from "bun:test";
import { ACTIVITY_MAX } from "@parley/protocol/merge-activity";
import { eachDatabase } from "../support/databases.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import { code, STREAMS, streamScene } from "../support/stream-scene.ts";

const read = { id: "1", title: "config.json", kind: "read", status: "ok" };
const run = { id: "2", title: "npm test", kind: "run", status: "running" };

/** Protocol §16.4: what an agent did while it worked on a message. */
eachDatabase(async (_, open) => {
  const scene = await forAllTests(streamScene(open));
  const { server, ann, agent, room, begin, append, finish, joined } = scene;
  const act = (id: number, activity: unknown) => agent.post(`${STREAMS}/${id}/append`, { activity });
  const send = (slug: string, more: object) =>
    agent.post("/api/agenthub/send", { channel_slug: slug, agent_name: "Writer", message: "done", ...more });

  test("grows with a stream, merged by id, and is a part of its message", async () => {
    const { slug } = await room();
    const { socket } = await joined(slug);
    using _ = socket;
    const id = await begin(slug);
    expect((await act(id, [read, run])).body.length).toBe(0);
    const heard = await socket.next(({ event, data }) => event === "stream:delta" && data.activity !== undefined);
    expect(heard.data).toMatchObject({ stream_id: id, delta: "", activity: [read, run] });
    await append(id, 0, "Working");
    const changed = { id: "2", title: "npm test", kind: "run", status: "ok", ms: 1_200 };
    await agent.post(`${STREAMS}/${id}/append`, { offset: 7, delta: " on it", activity: [changed] });
    const late = await joined(slug);
    late.socket.close();
    expect(late.ack.data.streams[0].activity).toEqual([read, changed]);
    expect((await server.guest.get(`${STREAMS}/${id}`)).body.stream.activity).toEqual([read, changed]);
    const edit = { id: "3", title: "Fix it", kind: "edit", status: "denied", target: "src/a.ts" };
    const done = await finish(id, { activity: [edit, { ...read, target: "config.json" }] });
    const all = [{ ...read, target: "config.json" }, changed, edit];
    expect(done.body.chat_message).toMatchObject({ content: "Working on it", activity: all });
    const { messages } = (await ann.get(`/api/messages?channel_slug=${slug}`)).body;
    expect(messages[0].activity).toEqual(all);
    expect((await server.guest.get(`${STREAMS}/${id}`)).body.stream.activity).toBeUndefined();
    expect(code(await act(id, [read]))).toEqual([409, "stream_over"]);
    const shown = await agent.get(`/api/agenthub/messages?channel_slug=${slug}&format=context`);
    expect(shown.body.rendered).toContain("(activity 1 read, 1 run, 1 edit denied)");
  });

  test("stays with a stream that the server ends", async () => {
    const { slug } = await room();
    const id = await begin(slug);
    await append(id, 0, "half");
    await act(id, [run]);
    await agent.post(`${STREAMS}/${id}/finish`, {});
    const { messages } = (await ann.get(`/api/messages?channel_slug=${slug}`)).body;
    expect(messages[0]).toMatchObject({ content: "half", activity: [run] });
  });

  test("is sent with a message and its card, and survives what happens to both", async () => {
    const { slug } = await room();
    const plain = (await send(slug, {})).body.chat_message;
    expect("activity" in plain).toBe(false);
    const { chat_message: sent } = (await send(slug, { activity: [read] })).body;
    expect(sent.activity).toEqual([read]);
    expect("components" in sent).toBe(false);
    const asks = await send(slug, {
      activity: [read],
      components: [{ type: "row", elements: [{ type: "button", action_id: "go", label: "Go" }] }],
      interaction: { kind: "choice", who: { users: ["ann"] } },
    });
    const cardId = asks.body.message_id;
    expect(asks.body.chat_message).toMatchObject({ activity: [read], interaction: { status: "open" } });
    expect((await ann.post(`/api/interactions/${cardId}/press`, { action_id: "go" })).status).toBe(200);
    const page = async () => (await ann.get(`/api/messages?channel_slug=${slug}`)).body.messages;
    const shown = (await page()).find(({ id }: { id: number }) => id === cardId);
    expect(shown).toMatchObject({ activity: [read], interaction: { status: "decided" } });
    expect((await agent.put(`/api/messages/${sent.id}`, { content: "edited" })).body.chat_message).toMatchObject({
      content: "edited",
      activity: [read],
    });
    const found = await ann.get(`/api/search/messages?channel_slug=${slug}&q=config`);
    expect(found.body.messages).toEqual([]);
    expect((await agent.delete(`/api/messages/${sent.id}`)).status).toBe(200);
    const deleted = (await page()).find(({ id }: { id: number }) => id === sent.id);
    expect([deleted.is_deleted, "activity" in deleted]).toEqual([true, false]);
  });

  test("is cleaned, bounded and counted in no text", async () => {
    const { slug } = await room();
    const dirty = { id: " a\u0007b ", title: "read\n\u202eit", kind: "read", status: "ok", target: " \u200b ", ms: 5 };
    const { chat_message: cleaned } = (await send(slug, { message: "x".repeat(4_000), activity: [dirty] })).body;
    expect(cleaned.activity).toEqual([{ id: "a b", title: "read it", kind: "read", status: "ok", ms: 5 }]);
    const blank = await send(slug, { activity: [{ ...read, title: "\u200b" }] });
    expect(blank.body.chat_message.activity[0].title).toBe("read");
    for (const wrong of [{ id: "\n" }, { title: "x".repeat(201) }, { kind: "sleep" }, { status: "maybe" }, { ms: -1 }])
      expect(code(await send(slug, { activity: [{ ...read, ...wrong }] }))).toEqual([400, "invalid_request"]);
    const many = Array.from({ length: ACTIVITY_MAX + 1 }, (_, n) => ({ ...read, id: `${n}` }));
    expect(code(await send(slug, { activity: many }))).toEqual([400, "invalid_request"]);
    const id = await begin(slug);
    await act(id, many.slice(0, 30));
    await act(id, many.slice(30));
    const wide = many.slice(0, 40).map((one) => ({ ...one, title: "漢".repeat(200), target: "字".repeat(200) }));
    const { activity } = (await server.guest.get(`${STREAMS}/${id}`)).body.stream;
    expect([activity.length, activity[0].id, activity.at(-1).id]).toEqual([ACTIVITY_MAX, "1", "50"]);
    const done = (await finish(id, { message: "all", activity: wide })).body.chat_message.activity;
    expect(Buffer.byteLength(JSON.stringify(done))).toBeLessThanOrEqual(16 * 1_024);
    expect(done.at(-1).id).toBe("0");
  });
});
