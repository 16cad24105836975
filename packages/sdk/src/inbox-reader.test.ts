import { afterEach, beforeEach, expect, test } from "bun:test";
import type { InboxQuery, InboxResponse } from "@parley/protocol/inbox";
import { noPauses } from "../test/support/no-pauses.ts";
import { type AgentItem, InboxReader } from "./inbox-reader.ts";

/** A model of the promises of protocol §5: a server with one inbox. A wait without news ends at once. */
class Inbox {
  pending: AgentItem[] = [];
  readonly asked: InboxQuery[] = [];
  /** Called before each wait. */
  onWait = () => {};

  add(item_id: number, created_at = `t${item_id}`): AgentItem {
    const item = { item_id, created_at, kind: "mention" } as AgentItem;
    this.pending.push(item);
    return item;
  }

  read = async (query: InboxQuery): Promise<InboxResponse> => {
    this.asked.push(query);
    if (query.wait !== undefined) this.onWait();
    const { after_item_id = 0, limit = 50 } = query;
    const matching = this.pending.filter(({ item_id }) => item_id > after_item_id);
    const items = matching.slice(0, limit);
    const last_item_id = items.at(-1)?.item_id ?? after_item_id;
    return { success: true, items, count: items.length, remaining: matching.length - items.length, last_item_id };
  };
}

/** So that no test waits for a second. */
let timers: ReturnType<typeof noPauses>;
beforeEach(() => {
  timers = noPauses();
});
afterEach(() => timers[Symbol.dispose]());

const take = async (items: AsyncGenerator<AgentItem>, count: number): Promise<number[]> => {
  const ids: number[] = [];
  while (ids.length < count) ids.push((await items.next()).value?.item_id ?? 0);
  return ids;
};

test("yields all pages, then waits after the last item, although others are pending", async () => {
  const inbox = new Inbox();
  for (let id = 1; id <= 150; id++) inbox.add(id);
  inbox.onWait = () => inbox.add(151);
  expect(await take(new InboxReader(inbox.read, undefined).items(), 151)).toEqual(
    Array.from({ length: 151 }, (_, n) => n + 1),
  );
  expect(inbox.asked).toEqual([
    { after_item_id: 0, limit: 100 },
    { after_item_id: 100, limit: 100 },
    { after_item_id: 150, limit: 100, wait: 30 },
  ]);
});

test("an item that stays in the inbox is yielded once, however often the inbox is looked through", async () => {
  const inbox = new Inbox();
  inbox.add(1);
  let waits = 0;
  inbox.onWait = () => {
    waits += 1;
    if (waits === 2) inbox.add(2);
  };
  const items = new InboxReader(inbox.read, undefined).items();
  expect(await take(items, 2)).toEqual([1, 2]);
  // The second wait followed a new look at the whole inbox.
  expect(inbox.asked.map(({ after_item_id, wait }) => [after_item_id, wait])).toEqual([
    [0, undefined],
    [1, 30],
    [0, undefined],
    [1, 30],
  ]);
});

test("a server that does not wait is not called in a loop", async () => {
  const inbox = new Inbox();
  let waits = 0;
  inbox.onWait = () => {
    waits += 1;
    if (waits === 2) inbox.add(1);
  };
  await take(new InboxReader(inbox.read, undefined).items(), 1);
  // The server ended the first wait at once, so the reader rests for the rest of a second.
  expect(timers.pauses.filter((ms) => ms > 0 && ms <= 1_000)).toHaveLength(1);
});

test("after a restore, items with smaller and with known numbers are yielded", async () => {
  const inbox = new Inbox();
  inbox.add(8);
  inbox.add(9);
  let waits = 0;
  inbox.onWait = () => {
    waits += 1;
    if (waits > 1) return;
    inbox.pending = [];
    inbox.add(3, "later");
    inbox.add(8, "later");
  };
  expect(await take(new InboxReader(inbox.read, undefined).items(), 4)).toEqual([8, 9, 3, 8]);
});

test("an item acknowledged while a page with it is on its way is not yielded again", async () => {
  const inbox = new Inbox();
  const first = inbox.add(1);
  const reader = new InboxReader(async (query) => {
    const page = await inbox.read(query);
    // The scan has read the item; before its page arrives, the handler has acknowledged it.
    if (inbox.asked.length === 3) {
      inbox.pending.shift();
      reader.acknowledged(first);
      inbox.add(2);
    }
    return page;
  }, undefined);
  expect(await take(reader.items(), 2)).toEqual([1, 2]);
});

test("an item of a kind that a newer server has stays in the inbox, and the others are yielded", async () => {
  const inbox = new Inbox();
  inbox.add(1);
  inbox.pending.push({ ...inbox.add(2), item_id: 3, kind: "poem" } as unknown as AgentItem);
  inbox.add(4);
  const stop = new AbortController();
  const reader = new InboxReader(inbox.read, stop.signal);
  expect(await take(reader.items(), 3)).toEqual([1, 2, 4]);
  stop.abort();
});
