import { expect, test } from "bun:test";
import type { HistoryQuery, HistoryResponse } from "@parley/protocol/messages";
import type { ThreadQuery, ThreadResponse } from "@parley/protocol/thread-calls";
import { ParleyError } from "@parley/sdk";
import { chatMessage } from "../../../server/test/support/browser/chat-message.ts";
import { collapsedPage, threadPage } from "../../src/model/threads/thread-pages.ts";

const message = (id: number) => chatMessage({ id, seq: id });
const page = (ids: number[], over: Partial<HistoryResponse> = {}): HistoryResponse => ({
  success: true,
  channel_id: 1,
  messages: ids.map(message),
  has_more: false,
  next_before: null,
  last_seq: 100,
  limit: 50,
  ...over,
});
const idsOf = ({ messages }: HistoryResponse) => messages.map(({ id }) => id);

test("a page that ended early among many replies is continued at its cursor", async () => {
  const asked: HistoryQuery[] = [];
  const answers = [
    page([90], { has_more: true, next_before: 80 }),
    page([], { has_more: true, next_before: 40, last_seq: 101 }),
    page([20, 30], { last_seq: 102 }),
  ];
  const fetch = async (query: HistoryQuery) => {
    asked.push(query);
    return answers[asked.length - 1] ?? page([]);
  };
  const whole = await collapsedPage(fetch, { limit: 50 });
  expect(idsOf(whole)).toEqual([20, 30, 90]);
  expect(whole).toMatchObject({ has_more: false, last_seq: 100 });
  expect(asked.map(({ before }) => before)).toEqual([undefined, 80, 40]);
  expect(asked.every(({ threads }) => threads === "collapse")).toBe(true);
});

test("newer pages are continued after their last seq, and a page around a message is one page", async () => {
  const asked: HistoryQuery[] = [];
  const fetch = async (query: HistoryQuery) => {
    asked.push(query);
    return asked.length === 1 ? page([], { has_more: true, next_after_seq: 60 }) : page([70]);
  };
  expect(idsOf(await collapsedPage(fetch, { limit: 50, after_seq: 10 }))).toEqual([70]);
  expect(asked.map(({ after_seq }) => after_seq)).toEqual([10, 60]);
  const once = async () => page([5], { has_more: true, next_before: 3 });
  expect(idsOf(await collapsedPage(once, { around: 5 }))).toEqual([5]);
});

test("a page around a reply has replies before and after it; without one in the thread it is the newest page", async () => {
  const root = message(1);
  const replies = [2, 3, 4, 5, 6];
  const asked: ThreadQuery[] = [];
  const fetch = async (query: ThreadQuery): Promise<ThreadResponse> => {
    asked.push(query);
    const { after, before } = query;
    if (after === 99) throw new ParleyError("invalid_cursor", "No message of this thread.", { status: 400 });
    const ids = replies.filter((id) => id > (after ?? 0) && id < (before ?? 1_000));
    return { ...page(ids), root };
  };
  expect(idsOf(await threadPage(fetch, { around: 4, limit: 50 }))).toEqual([2, 3, 4, 5, 6]);
  expect(asked).toEqual([
    { limit: 50, after: 4 },
    { limit: 50, before: 5 },
  ]);
  expect(idsOf(await threadPage(fetch, { around: 6, limit: 50 }))).toEqual([2, 3, 4, 5, 6]);
  expect(idsOf(await threadPage(fetch, { around: 99, limit: 50 }))).toEqual([2, 3, 4, 5, 6]);
});
