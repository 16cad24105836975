import { describe, expect, test } from "bun:test";
import { expand, expandAck, type KnownSlugs } from "@parley/protocol/compact";
import { stillGif } from "../support/gifs.ts";
import { type Frame, LiveSocket } from "../support/servers/live-socket.ts";
import { newChannel, realtimeBench } from "../support/servers/realtime.ts";
import { type Client, eventually } from "../support/servers/test-server.ts";
import { newSticker } from "../support/stickers.ts";

const { server, open } = await realtimeBench();

const openCompact = (who: Client | null = null) =>
  LiveSocket.open(server.url, who?.credential ?? {}, "?frames=compact");

/** Returns all frames of a compact socket as a client reads them. */
function readAll({ frames }: LiveSocket): Frame[] {
  const slugs: KnownSlugs = new Map();
  return frames.map((frame) => {
    const { event, data } = frame;
    return { ...frame, data: event === "ack" ? expandAck(data, slugs) : expand(event, data, slugs) };
  });
}

const isDurable = ({ event, data }: Frame) => event !== "ack" && event !== "error" && "seq" in data;
const isAck = ({ event }: Frame) => event === "ack";
const durable = (frames: readonly Frame[]) => frames.filter(isDurable);

/** Every kind of change to messages, and a change of the channel's slug in the middle. Returns the number of events. */
async function talk(ann: Client, id: number, slug: string): Promise<number> {
  const send = async (body: object): Promise<number> => {
    const answer = await ann.post("/api/messages", { channel_id: id, ...body });
    expect(answer.status).toBe(201);
    return answer.body.message_id;
  };
  const form = new FormData();
  form.set("file", new Blob(["text"]), "a.txt");
  const { file_id } = (await ann.post("/api/files", undefined, { raw: form })).body.file;
  const { sticker_id } = await newSticker(ann, stillGif(2, 3, slug));
  const first = await send({ content: `Grüße "☕", channel_slug: ${slug}`, client_msg_id: `once-${slug}` });
  await send({ content: "a reply", thread_root_id: first });
  await send({ content: "a quote", reply_to_id: first, expires_in: 86_400 });
  await send({ sticker_id });
  await send({ content: "a file", file_ids: [file_id] });
  expect((await ann.put(`/api/messages/${first}`, { content: "edited" })).status).toBe(200);
  expect((await ann.put(`/api/messages/${first}/reactions/like`)).status).toBe(200);
  expect((await ann.post(`/api/messages/${first}/pin`)).status).toBe(200);
  const renamed = await ann.put(`/api/channels/${id}`, { channel_slug: `${slug}-renamed` });
  expect(renamed.body.channel.channel_slug).toBe(`${slug}-renamed`);
  expect((await ann.put(`/api/messages/${first}`, { content: "edited, reacted to and pinned" })).status).toBe(200);
  await send({ content: "after the change of the slug" });
  expect((await ann.delete(`/api/messages/${first}`)).status).toBe(200);
  return 12;
}

describe("compact frames", () => {
  test("say the same as full ones, live and on a resume, also when the channel's slug changes", async () => {
    const ann = await server.newUser();
    const { id, slug } = await newChannel(ann);
    await using full = await open();
    await using compact = await openCompact();
    for (const socket of [full, compact]) await socket.ask("channel:join", { channel_id: id });
    const count = await talk(ann, id, slug);
    for (const socket of [full, compact]) await eventually("all events", () => socket.seqs.length === count);
    expect(durable(readAll(compact))).toEqual(durable(full.frames));

    let sent = 0;
    for (const after_seq of [0, 6, count]) {
      const data = { channel_id: id, after_seq, epoch: server.ctx.epoch };
      await using fullLater = await open();
      await using compactLater = await openCompact();
      const sockets = [fullLater, compactLater];
      for (const socket of sockets) await socket.ask("channel:join", data);
      await ann.post("/api/messages", { channel_id: id, content: `after the resume from ${after_seq}` });
      for (const socket of sockets) await socket.next("message:new");
      const read = readAll(compactLater);
      const [missed, fullMissed] = [read, fullLater.frames].map((frames) => frames.find(isAck)?.data.events);
      expect(missed).toHaveLength(count - after_seq + sent);
      expect(missed).toEqual(fullMissed);
      expect(durable(read)).toEqual(durable(fullLater.frames));
      sent += 1;
    }
  });

  test("name the slug once more when sockets may know different ones", async () => {
    const ann = await server.newUser();
    const { id, slug } = await newChannel(ann);
    await using early = await openCompact();
    await early.ask("channel:join", { channel_id: id });
    await ann.post("/api/messages", { channel_id: id, content: "one" });
    await ann.post("/api/messages", { channel_id: id, content: "two" });
    await using late = await openCompact();
    await late.ask("channel:join", { channel_id: id });
    await ann.put(`/api/channels/${id}`, { channel_slug: `${slug}-2` });
    await ann.post("/api/messages", { channel_id: id, content: "three" });
    for (const socket of [early, late]) {
      await socket.find(({ data }) => data.chat_message?.content === "three");
      expect(readAll(socket).at(-1)?.data.chat_message.channel_slug).toBe(`${slug}-2`);
    }
    const slugs = early.all("message:new").map(({ data }) => data.chat_message.channel_slug);
    expect(slugs).toEqual([slug, undefined, undefined]);
  });

  test("carry several events when messages were stored together, each once and in order", async () => {
    const ann = await server.newUser();
    const { id } = await newChannel(ann);
    await using full = await open();
    await using compact = await openCompact();
    for (const socket of [full, compact]) await socket.ask("channel:join", { channel_id: id });
    const [before, fullBefore] = [compact.received, full.received];
    const texts = Array.from({ length: 40 }, (_, i) => `message ${i}`);
    await Promise.all(texts.map((content) => ann.post("/api/messages", { channel_id: id, content })));
    for (const socket of [full, compact]) {
      await eventually("all messages", () => socket.all("message:new").length === texts.length);
    }
    expect(durable(readAll(compact))).toEqual(durable(full.frames));
    expect(full.received - fullBefore).toBe(texts.length);
    expect(compact.received - before).toBeLessThan(texts.length);
  });

  test("are short: at most 260 bytes for a text of 100 bytes", async () => {
    const ann = await server.newUser();
    await using socket = await openCompact(ann);
    await socket.ask("channel:join", { channel_slug: "general" });
    for (const word of ["first", "second"]) {
      await ann.post("/api/messages", { channel_slug: "general", content: word.padEnd(100, ".") });
    }
    await eventually("both messages", () => socket.all("message:new").length === 2);
    const [, second] = socket.all("message:new");
    expect(Object.keys(second?.data.chat_message).sort()).toEqual(["content", "created_at", "id", "username"]);
    expect(JSON.stringify(second).length).toBeLessThanOrEqual(260);
  });

  test("are confirmed in session:ready, and full frames stay what they were", async () => {
    await using compact = await openCompact();
    await using full = await LiveSocket.open(server.url, {}, "?frames=full");
    await using other = await LiveSocket.open(server.url, {}, "?other=1");
    const { epoch } = server.ctx;
    expect(compact.frames[0]?.data).toEqual({ epoch, user: null, frames: "compact" });
    expect([full.frames[0]?.data, other.frames[0]?.data]).toEqual(Array(2).fill({ epoch, user: null }));
  });

  test.each(["", "short", "Compact", "compact,full"])("are refused in the unknown form %p", async (form) => {
    const headers = { upgrade: "websocket", connection: "Upgrade" };
    const { status, body } = await (await server.newUser()).get(`/api/ws?frames=${form}`, { headers });
    expect([status, body.code, body.details[0].path]).toEqual([400, "invalid_request", "frames"]);
  });
});
