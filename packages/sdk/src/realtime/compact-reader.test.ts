import { expect, test } from "bun:test";
import { compact } from "@parley/protocol/compact";
import { CompactReader } from "./compact-reader.ts";

const record = { id: 7, channel_id: 1, channel_slug: "sea", seq: 3, type: "text", content: "hi", username: "ann" };
const rest = { sender_type: "user", agent_name: null, mentions: [], files: [], reactions: [], is_pinned: false };
const full = { event: "message:new", data: { channel_id: 1, seq: 3, chat_message: { ...record, ...rest } } };
const ready = (more: object) => ({ event: "session:ready", data: { epoch: "e", user: null, ...more } });
const join = (events: unknown[]) => ({
  event: "ack",
  ref: 1,
  data: { success: true, channel: { id: 1, channel_slug: "sea" }, events },
});

test("frames of a server that knows no compact frames pass unchanged, also those without newer fields", () => {
  const reader = new CompactReader();
  for (const frame of [ready({}), join([full]), full]) expect(reader.read(frame)).toBe(frame);
});

test("compact frames and missed events are expanded, and lists are not shared between messages", () => {
  const reader = new CompactReader();
  reader.read(ready({ frames: "compact" }));
  const short = { ...full, data: compact("message:new", full.data, new Map([[1, "sea"]])) };
  expect(short.data).toEqual({ channel_id: 1, seq: 3, chat_message: { id: 7, content: "hi", username: "ann" } });
  expect(reader.read(join([short])).data.events).toMatchObject([full]);
  const [one, other] = [reader.read(short), reader.read(short)] as (typeof full)[];
  expect(one).toMatchObject(full);
  expect(one?.data.chat_message.files).not.toBe(other?.data.chat_message.files);
});

test("a message without a slug has the one that channel:update named last", () => {
  const reader = new CompactReader();
  reader.read(ready({ frames: "compact" }));
  reader.read(join([]));
  const update = { event: "channel:update", data: { channel_id: 1, seq: 4, channel: { id: 1, channel_slug: "lake" } } };
  expect(reader.read(update)).toBe(update);
  const short = { event: "message:new", data: { channel_id: 1, seq: 5, chat_message: { id: 8 } } };
  expect(reader.read(short)).toMatchObject({ data: { chat_message: { channel_slug: "lake", seq: 5, content: "" } } });
});
