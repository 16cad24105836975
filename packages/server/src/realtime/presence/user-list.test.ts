import { expect, test } from "bun:test";
import { ManualScheduler } from "../../base/scheduler.ts";
import type { AppContext } from "../../context.ts";
import { MemoryPresence } from "./presence.memory.ts";
import { onlineUsers, startUserList } from "./user-list.ts";

interface Sent {
  at: number;
  topic: string;
  event: string;
  // biome-ignore lint/suspicious/noExplicitAny: both forms of the event are looked into.
  data: any;
}

function start() {
  const scheduler = new ManualScheduler();
  const presence = new MemoryPresence(scheduler);
  const sent: Sent[] = [];
  const closers: (() => void | Promise<void>)[] = [];
  const ctx = {
    presence,
    onClose: (act: () => void) => closers.push(act),
    cluster: null,
    hub: {
      deliver: (topic: string, [message]: { event: string; frame: string }[]) => {
        if (message !== undefined) sent.push({ at: scheduler.now, topic, ...JSON.parse(message.frame) });
      },
    },
  } as unknown as AppContext;
  startUserList(ctx, scheduler);
  const enter = (id: number, channelId = 7) =>
    presence.enter(channelId, { kind: "user", id, name: `user${id}`, honorLevel: 0, since: 1_000 + id });
  const leave = (id: number, channelId = 7) => presence.leave(channelId, "user", id, `user${id}`, 0);
  return { ctx, scheduler, sent, closers, enter, leave };
}

test("the online list is sent at the end of the turn after a quiet time, and then at most every 250 ms", () => {
  const { scheduler, sent, enter, leave } = start();
  enter(1);
  expect(sent).toEqual([]);
  scheduler.advance(0);
  expect(sent.map(({ at, data }) => [at, data.count])).toEqual([[0, 1]]);
  for (let i = 2; i <= 11; i++) {
    scheduler.advance(20);
    enter(i);
  }
  scheduler.advance(50);
  expect(sent.map(({ at, data }) => [at, data.count])).toEqual([
    [0, 1],
    [250, 11],
  ]);
  leave(1);
  scheduler.advance(10_000);
  expect(sent.map(({ at }) => at)).toEqual([0, 250, 500]);
  enter(1);
  scheduler.advance(0);
  expect(sent.map(({ at }) => at)).toEqual([0, 250, 500, 10_250]);
});

test("the changes of one turn are one list per channel, and guests alone cause none", async () => {
  const { ctx, scheduler, sent, enter } = start();
  enter(1);
  enter(2);
  enter(3, 8);
  ctx.presence.enterGuest(7);
  ctx.presence.enterGuest(9);
  scheduler.advance(1_000);
  expect(sent.map(({ topic, event, data }) => [topic, event, data.count, data.guest_count])).toEqual([
    ["c:7", "user:list", 2, 1],
    ["c:8", "user:list", 1, 0],
  ]);
  expect(sent[0]?.data).toEqual({
    channel_id: 7,
    count: 2,
    guest_count: 1,
    users: [
      { kind: "user", name: "user1", honor_level: 0, since: "1970-01-01T00:00:01.001Z" },
      { kind: "user", name: "user2", honor_level: 0, since: "1970-01-01T00:00:01.002Z" },
    ],
  });
  expect((await onlineUsers(ctx, 7, 1, 1)).map(({ name }) => name)).toEqual(["user2"]);
});

test("above 100 users only changes are sent, and only counts if there are too many changes", () => {
  const { scheduler, sent, enter, leave } = start();
  for (let i = 1; i <= 100; i++) enter(i);
  scheduler.advance(250);
  expect(sent.at(-1)?.data.users).toHaveLength(100);
  enter(101);
  enter(102);
  leave(5);
  scheduler.advance(250);
  const { joined, left, ...rest } = sent.at(-1)?.data ?? {};
  expect(rest).toEqual({ channel_id: 7, count: 101, guest_count: 0 });
  expect(joined.map(({ name }: { name: string }) => name)).toEqual(["user101", "user102"]);
  expect(left.map(({ name }: { name: string }) => name)).toEqual(["user5"]);
  for (let i = 200; i < 301; i++) enter(i);
  scheduler.advance(250);
  expect(sent.at(-1)?.data).toEqual({
    channel_id: 7,
    count: 202,
    guest_count: 0,
    joined: [],
    left: [],
    truncated: true,
  });
  for (let i = 200; i < 301; i++) leave(i);
  leave(102);
  scheduler.advance(250);
  expect(sent.at(-1)?.data.users).toHaveLength(100);
});

test("a user who came and went between two lists appears in neither, and no timer is left", () => {
  const { scheduler, sent, closers, enter, leave } = start();
  enter(1);
  scheduler.advance(0);
  enter(2);
  leave(2);
  leave(1);
  scheduler.advance(250);
  expect(sent.map(({ data }) => data.users.length)).toEqual([1, 0]);
  scheduler.advance(250);
  expect(scheduler.waiting).toBe(0);
  enter(3);
  for (const close of closers) void close();
  scheduler.advance(1_000);
  expect(sent).toHaveLength(2);
});
