import { expect, test } from "bun:test";
import { type MessageRow, recordJson } from "../../packages/server/src/event-log/message-json.ts";
import { chatMessage } from "./chat-message.mjs";

const row: MessageRow = {
  id: 1,
  channel_id: 1,
  seq: 1,
  type: "text",
  content: "hello",
  sender_type: "user",
  user_id: 1,
  agent_id: null,
  sender_name: "bench_0",
  client_msg_id: null,
  client_key: null,
  client_hash: null,
  reply_to_id: null,
  mentions: null,
  sticker_id: null,
  sticker: null,
  packet_id: null,
  thread_root_id: null,
  also_in_channel: 0,
  files: null,
  expires_at: null,
  stream_id: null,
  webhook_id: null,
  card: null,
  thread: null,
  reactions: null,
  pinned_at: null,
  pinned_by: null,
  edited_at: null,
  deleted_at: null,
  created_at: Date.parse("2026-01-01T00:00:00.000Z"),
};

test("the peers' record of a message is the same text as Parley's", () => {
  expect(JSON.stringify(chatMessage("general", "hello"))).toBe(recordJson(row, "general"));
});
