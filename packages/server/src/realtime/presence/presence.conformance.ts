import { describe, expect, test } from "bun:test";
import { ManualScheduler } from "../../base/scheduler.ts";
import { CONNECTED, type Presence, type PresenceEntry } from "./presence.ts";

const ada: PresenceEntry = { kind: "user", id: 1, name: "ada", honorLevel: 3, since: 1_000 };
const bob: PresenceEntry = { kind: "user", id: 2, name: "bob", honorLevel: 0, since: 2_000 };
/** An agent with the id of a user: the two must not be confused. */
const bot: PresenceEntry = { kind: "agent", id: 1, name: "Bot One", honorLevel: 0, since: 3_000 };

/** A presence under test. */
export interface PresenceBench extends AsyncDisposable {
  presence: Presence;
  /** Waits until what was done so far is visible, and nothing that follows from it is under way. */
  settle(): Promise<void>;
}

/** Tests the promises of every presence. Called by the test of each implementation. */
export function presenceConformance(name: string, make: (graces: ManualScheduler) => Promise<PresenceBench>): void {
  const start = async () => {
    const scheduler = new ManualScheduler();
    const bench = await make(scheduler);
    const { presence } = bench;
    await Promise.all([presence.hold(7), presence.hold(8)]);
    const changes: number[] = [];
    presence.onChange((channelId) => changes.push(channelId));
    const settle = () => bench.settle();
    return { scheduler, presence, changes, settle, [Symbol.asyncDispose]: () => bench[Symbol.asyncDispose]() };
  };
  const names = (presence: Presence, channelId = 7) => presence.list(channelId, 100).map((entry) => entry.name);

  describe(`${name}, as a presence,`, () => {
    test("lists an actor once, however many sockets hold it, until the last one leaves", async () => {
      await using bench = await start();
      const { presence, changes, settle } = bench;
      presence.enter(7, ada);
      presence.enter(7, { ...ada, since: 9_000 });
      expect(presence.list(7, 100)).toEqual([ada]);
      expect(changes).toEqual([7]);
      presence.leave(7, "user", 1, "ada", 0);
      await settle();
      expect(presence.count(7)).toBe(1);
      expect(changes).toEqual([7]);
      presence.leave(7, "user", 1, "ada", 0);
      await settle();
      expect(presence.count(7)).toBe(0);
      expect(await presence.has(7, "user", 1)).toBe(false);
      expect(changes).toEqual([7, 7]);
    });

    test("removes an actor a grace period after the last leave, and hides a return in between", async () => {
      await using bench = await start();
      const { presence, changes, scheduler, settle } = bench;
      presence.enter(7, ada);
      presence.leave(7, "user", 1, "ada", 5_000);
      scheduler.advance(4_999);
      expect(names(presence)).toEqual(["ada"]);
      presence.enter(7, { ...ada, since: 6_000 });
      scheduler.advance(60_000);
      await settle();
      expect(presence.list(7, 1)).toEqual([ada]);
      expect(changes).toEqual([7]);
      presence.leave(7, "user", 1, "ada", 5_000);
      scheduler.advance(5_000);
      await settle();
      expect(names(presence)).toEqual([]);
      expect(await presence.isUserOnline(1)).toBe(false);
      expect(changes).toEqual([7, 7]);
      expect(scheduler.waiting).toBe(0);
    });

    test("removes an entry whatever holds it, and ignores a later leave of its holders", async () => {
      await using bench = await start();
      const { presence, changes, scheduler, settle } = bench;
      presence.enter(7, ada);
      presence.enter(7, ada);
      presence.remove(7, "user", 1);
      expect(presence.count(7)).toBe(0);
      presence.leave(7, "user", 1, "ada", 5_000);
      expect(scheduler.waiting).toBe(0);
      expect(changes).toEqual([7, 7]);
      presence.enter(7, ada);
      presence.leave(7, "user", 1, "ada", 5_000);
      presence.remove(7, "user", 1);
      presence.enter(7, ada);
      scheduler.advance(10_000);
      await settle();
      expect(names(presence)).toEqual(["ada"]);
    });

    test("has an entry per name of an agent, removes all without a name, and keeps a user with the same id", async () => {
      await using bench = await start();
      const { presence } = bench;
      presence.enter(7, ada);
      presence.enter(7, bot);
      presence.enter(7, { ...bot, name: "Bot Two", since: 4_000 });
      expect(names(presence)).toEqual(["ada", "Bot One", "Bot Two"]);
      presence.leave(7, "agent", 1, "Bot One", 0);
      expect(await presence.has(7, "agent", 1)).toBe(true);
      presence.enter(7, bot);
      presence.remove(7, "agent", 1, "bot two");
      expect(names(presence)).toEqual(["ada", "Bot One"]);
      presence.remove(7, "agent", 1);
      expect(names(presence)).toEqual(["ada"]);
      expect(await presence.has(7, "agent", 1)).toBe(false);
    });

    test("lists actors by since, in pages, also one that enters late with an old since", async () => {
      await using bench = await start();
      const { presence } = bench;
      presence.enter(7, bot);
      presence.enter(7, bob);
      presence.enter(7, ada);
      expect(names(presence)).toEqual(["ada", "bob", "Bot One"]);
      expect(presence.list(7, 2).map((entry) => entry.name)).toEqual(["ada", "bob"]);
      expect((await presence.page(7, 2, 2)).map((entry) => entry.name)).toEqual(["Bot One"]);
      expect(await presence.page(7, 2, 3)).toEqual([]);
    });

    test("keeps channels apart, and counts a user as online while any channel or connection holds them", async () => {
      await using bench = await start();
      const { presence, changes, settle } = bench;
      presence.enter(CONNECTED, ada);
      expect(await presence.isUserOnline(1)).toBe(true);
      expect(changes).toEqual([]);
      presence.enter(7, ada);
      presence.enter(8, ada);
      presence.leave(CONNECTED, "user", 1, "ada", 0);
      presence.leave(7, "user", 1, "ada", 0);
      await settle();
      expect([presence.count(7), presence.count(8), await presence.isUserOnline(1)]).toEqual([0, 1, true]);
      presence.leave(8, "user", 1, "ada", 0);
      await settle();
      expect(await presence.isUserOnline(1)).toBe(false);
      expect(changes).toEqual([7, 8, 7, 8]);
    });

    test("reports once, after the grace period, that a user has come or gone", async () => {
      await using bench = await start();
      const { presence, scheduler, settle } = bench;
      const seen: string[] = [];
      presence.onUserChange((userId, isOnline) => seen.push(`${userId} ${isOnline}`));
      presence.enter(CONNECTED, ada);
      presence.enter(7, ada);
      presence.enter(7, bot);
      presence.leave(7, "user", 1, "ada", 5_000);
      presence.leave(CONNECTED, "user", 1, "ada", 5_000);
      scheduler.advance(4_999);
      presence.enter(CONNECTED, ada);
      scheduler.advance(60_000);
      expect(seen).toEqual(["1 true"]);
      presence.remove(CONNECTED, "user", 1);
      await settle();
      expect(seen).toEqual(["1 true", "1 false"]);
    });

    test("updates the honor level from another socket or a call, and keeps since", async () => {
      await using bench = await start();
      const { presence, changes, settle } = bench;
      presence.enter(7, ada);
      presence.enter(7, { ...ada, honorLevel: 4, since: 9_000 });
      await settle();
      expect(presence.list(7, 1)).toEqual([{ ...ada, honorLevel: 4 }]);
      presence.refresh(7, { ...ada, honorLevel: 5, since: 9_000 });
      presence.refresh(7, { ...ada, honorLevel: 5 });
      presence.refresh(7, bob);
      presence.refresh(8, ada);
      await settle();
      expect(presence.list(7, 9)).toEqual([{ ...ada, honorLevel: 5 }]);
      expect([presence.count(8), changes]).toEqual([0, [7, 7, 7]]);
    });

    test("only counts guests, never below zero", async () => {
      await using bench = await start();
      const { presence, changes, settle } = bench;
      presence.enterGuest(7);
      presence.enterGuest(7);
      presence.leaveGuest(7);
      await settle();
      expect([presence.guestCount(7), presence.count(7)]).toEqual([1, 0]);
      presence.leaveGuest(7);
      presence.leaveGuest(7);
      await settle();
      expect(presence.guestCount(7)).toBe(0);
      expect(changes).toEqual([]);
    });

    test("already has the new state when it reports a change", async () => {
      await using bench = await start();
      const { presence, settle } = bench;
      const counts: number[] = [];
      presence.onChange((channelId) => counts.push(presence.count(channelId)));
      presence.enter(7, ada);
      presence.enter(7, bob);
      await settle();
      presence.leave(7, "user", 1, "ada", 0);
      await settle();
      expect(counts).toEqual([1, 2, 1]);
    });
  });
}
