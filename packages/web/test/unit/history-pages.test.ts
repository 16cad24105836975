import { afterEach, beforeEach, describe, expect, jest, test } from "bun:test";
import type { HistoryQuery, HistoryResponse } from "@parley/protocol/messages";
import { ParleyError } from "@parley/sdk";
import { chatMessage } from "../../../server/test/support/browser/chat-message.ts";
import { HistoryPages } from "../../src/model/history-pages.ts";
import { Timeline } from "../../src/model/timeline.ts";

/** The chat's history pages while the server is unreachable, with a clock that the test moves. */
describe("a history page that failed to load", () => {
  let timeline: Timeline;
  let pages: HistoryPages;
  let asked: HistoryQuery[];
  let states: string[];
  let refusal: ParleyError | null;

  beforeEach(() => {
    jest.useFakeTimers();
    timeline = new Timeline();
    [asked, states] = [[], []];
    refusal = new ParleyError("service_unavailable", "Away.", { status: 503 });
    const fetch = async (query: HistoryQuery): Promise<HistoryResponse> => {
      asked.push(query);
      if (refusal !== null) throw refusal;
      const messages = [chatMessage({ id: 7, seq: 7 }), chatMessage({ id: 8, seq: 8 })];
      return { success: true, channel_id: 1, messages, has_more: true, next_before: 7, last_seq: 8, limit: 50 };
    };
    pages = new HistoryPages(timeline, fetch, ({ state }) => state !== undefined && states.push(state));
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  /** Lets pending responses be handled. */
  async function settle(): Promise<void> {
    for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
  }
  async function pass(ms: number): Promise<void> {
    jest.advanceTimersByTime(ms);
    await settle();
  }

  test("is requested again until it succeeds", async () => {
    pages.open(null);
    await settle();
    expect(states).toEqual(["loading", "failed"]);
    await pass(9_999);
    expect(asked).toHaveLength(1);
    await pass(1);
    expect(asked).toHaveLength(2);
    refusal = null;
    await pass(10_000);
    expect(states.at(-1)).toBe("ready");
    expect(timeline.messages.map(({ id }) => id)).toEqual([7, 8]);
    await pass(60_000);
    expect(asked).toHaveLength(3);
  });

  test("is requested immediately after a reconnect, without an additional retry", async () => {
    pages.open(null);
    await settle();
    refusal = null;
    pages.retry();
    await settle();
    expect(states.at(-1)).toBe("ready");
    pages.retry();
    await pass(60_000);
    expect(asked).toHaveLength(2);
  });

  test("leaves the visible messages in place, and missed ones arrive later", async () => {
    refusal = null;
    pages.open(null);
    await settle();
    refusal = new ParleyError("network_error", "Away.");
    pages.onGap();
    await settle();
    expect(states.at(-1)).toBe("ready");
    refusal = null;
    await pass(10_000);
    expect(asked).toHaveLength(3);
  });

  test("is retried for older messages, too", async () => {
    refusal = null;
    pages.open(null);
    await settle();
    refusal = new ParleyError("network_error", "Away.");
    await pages.older();
    refusal = null;
    await pass(10_000);
    expect(asked.map(({ before }) => before)).toEqual([undefined, 7, 7]);
  });

  test("is not forgotten if older messages failed as well", async () => {
    refusal = null;
    pages.open(null);
    await settle();
    refusal = new ParleyError("network_error", "Away.");
    pages.onGap();
    await settle();
    await pages.older();
    refusal = null;
    pages.retry();
    await settle();
    expect(asked.map(({ before }) => before)).toEqual([undefined, undefined, 7, undefined]);
    await pass(60_000);
    expect(asked).toHaveLength(4);
  });

  test("is forgotten when the user moves elsewhere, and a missing message is not waited for", async () => {
    pages.open(null);
    await settle();
    pages.close();
    await pass(60_000);
    expect(asked).toHaveLength(1);
    refusal = new ParleyError("invalid_cursor", "No message of this channel.", { status: 400 });
    pages.open(3);
    await settle();
    await pass(60_000);
    expect(asked).toHaveLength(2);
  });
});

test("messages that are fetched again after a gap follow the end, or stay where the user was reading", async () => {
  const asked: HistoryQuery[] = [];
  const places: unknown[] = [];
  const fetch = async (query: HistoryQuery): Promise<HistoryResponse> => {
    asked.push(query);
    const messages = [chatMessage({ id: 7, seq: 7 }), chatMessage({ id: 8, seq: 8 })];
    return { success: true, channel_id: 1, messages, has_more: false, next_before: null, last_seq: 8, limit: 50 };
  };
  let inView: { messageId: number; top: number } | null = null;
  const shown = ({ place }: { place?: object }) => place !== undefined && places.push(place);
  const pages = new HistoryPages(new Timeline(), fetch, shown, () => inView);
  const settle = async () => {
    for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
  };
  pages.open(null);
  await settle();
  pages.onGap();
  await settle();
  inView = { messageId: 7, top: 3 };
  pages.onGap();
  await settle();
  expect(places).toEqual([{ messageId: null }, { messageId: null }, { messageId: 7, top: 3 }]);
  expect(asked.map(({ around }) => around)).toEqual([undefined, undefined, 7]);
});
