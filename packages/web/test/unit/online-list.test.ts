import { expect, test } from "bun:test";
import type { UserListData } from "@parley/protocol/events";
import type { OnlineUser } from "@parley/protocol/models";
import { type OnlineList, OnlineTracker } from "../../src/model/online-list.ts";

const named = (names: string): OnlineUser[] =>
  [...names].map((name) => ({ kind: "user", name, honor_level: 1, since: "2026-01-01T00:00:00.000Z" }));
const people = (names: string): OnlineList => ({ users: named(names), count: 100 + names.length, guests: 0 });
const change = (joined: string, left: string, count: number): UserListData => ({
  channel_id: 1,
  count,
  guest_count: 0,
  joined: named(joined),
  left: named(left),
});
const TOO_MUCH: UserListData = { ...change("", "", 150), truncated: true };

/** The online list of a large channel, with a server whose responses the test gives. */
function shown() {
  const asked: { answer(people: OnlineList): void; fail(): void }[] = [];
  const online = new OnlineTracker(
    () => new Promise((answer, reject) => void asked.push({ answer, fail: () => reject(new Error("away")) })),
  );
  online.set(people("abc"));
  return {
    online,
    asked,
    names: () =>
      online.view
        .get()
        .users.map(({ name }) => name)
        .join(""),
    /** Responses are handled in a turn of their own. */
    async turns() {
      for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
    },
  };
}

test("changes that arrive while the list loads are applied to the response, which may be older", async () => {
  const { online, asked, names, turns } = shown();
  online.take(TOO_MUCH);
  online.take(change("x", "d", 150));
  asked[0]?.answer(people("de"));
  await turns();
  expect(names()).toBe("ex");
  expect(online.view.get().count).toBe(150);
  expect(asked).toHaveLength(1);
});

test("a second overflow during a reload causes another reload, one after the other", async () => {
  const { online, asked, names, turns } = shown();
  online.take(TOO_MUCH);
  online.take(TOO_MUCH);
  expect(asked).toHaveLength(1);
  asked[0]?.answer(people("de"));
  await turns();
  expect(names()).toBe("de");
  asked[1]?.answer(people("fg"));
  await turns();
  expect(names()).toBe("fg");
  expect(asked).toHaveLength(2);
});

test("a list that failed to load is requested with the next change", async () => {
  const { online, asked, names, turns } = shown();
  online.take(TOO_MUCH);
  asked[0]?.fail();
  await turns();
  online.take(change("x", "", 104));
  expect(names()).toBe("abcx");
  asked[1]?.answer(people("dex"));
  await turns();
  expect(names()).toBe("dex");
});

test("the list of a later join replaces one that is still loading", async () => {
  const { online, asked, names, turns } = shown();
  online.take(TOO_MUCH);
  online.set(people("pq"));
  asked[0]?.answer(people("de"));
  await turns();
  expect(names()).toBe("pq");
  online.take(TOO_MUCH);
  online.set(people("rs"));
  asked[1]?.fail();
  await turns();
  online.take(change("t", "", 104));
  expect([names(), asked.length]).toEqual(["rst", 2]);
});
