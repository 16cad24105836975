import { expect, test } from "bun:test";
import { recordJson } from "../../packages/server/src/event-log/message-json.ts";
import { newRow } from "../../packages/server/src/messages/append/draft.ts";
import { draftOf } from "../../packages/server/test/support/drafts.ts";
import { chatMessage } from "./chat-message.mjs";

test("the peers' record of a message is the same text as Parley's", () => {
  const draft = draftOf(1, "hello", { sender_name: "bench_0" });
  const row = { ...newRow(draft, 1, Date.parse("2026-01-01T00:00:00.000Z")), id: 1 };
  expect(JSON.stringify(chatMessage("general", "hello"))).toBe(recordJson(row, "general"));
});
