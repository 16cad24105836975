import { describe, expect, test } from "bun:test";
import { stillClock } from "../../../test/support/clock.ts";
import { testContext } from "../../../test/support/context.ts";
import { eachDatabase } from "../../../test/support/databases.ts";
import { putMessages } from "../../../test/support/put-messages.ts";
import type { AppContext } from "../../context.ts";
import type { OpenDatabase } from "../../db/database.ts";
import type { Db } from "../../db/db.ts";
import type { Tables } from "../../db/tables/tables.ts";
import { ControlPoll } from "../../realtime/control/control-poll.ts";
import { platformAgentRecipients } from "../mentions/platform-agent.ts";
import { checkLoopGuard, clearLoopGuard, guardRecord, noteMessage } from "./loop-guard.ts";

const tripped = expect.objectContaining({ code: "loop_guard_tripped", status: 429 });
const fromAgent = (id: number, over = {}) => ({
  sender_type: "agent" as const,
  agent_id: id,
  sender_name: `agent ${id}`,
  ...over,
});

async function talk(ctx: AppContext, channelId: number, ids: readonly number[]): Promise<number> {
  let passed = 0;
  for (const id of ids) {
    try {
      await checkLoopGuard(ctx, channelId, id);
    } catch {
      continue;
    }
    noteMessage(ctx, channelId, { kind: "agent", id, name: `agent ${id}` });
    passed++;
  }
  return passed;
}

/** Returns the same database, which answers about messages only when `read` has resolved. */
function late({ db }: OpenDatabase, read: () => Promise<void>): Db {
  const answering = <T extends object>(query: T): T =>
    new Proxy(query, {
      get(query, key) {
        const value = Reflect.get(query, key);
        if (typeof value !== "function") return value;
        if (key !== "execute") return (...args: unknown[]) => answering(value.apply(query, args));
        return async () => {
          const rows = await value.apply(query);
          await read();
          return rows;
        };
      },
    });
  return new Proxy(db, {
    get(db, key) {
      const value = Reflect.get(db, key);
      if (key !== "selectFrom") return typeof value === "function" ? value.bind(db) : value;
      return (table: keyof Tables) => {
        const query = db.selectFrom(table);
        return table === "messages" ? answering(query) : query;
      };
    },
  });
}

const alternate = (count: number) => Array.from({ length: count }, (_, i) => (i % 2) + 1);

eachDatabase((_name, open) => {
  describe("loop guard of a channel", () => {
    test("stops two agents at the limit, reports when it ends, and is cleared by a person", async () => {
      await using db = await open();
      const clock = stillClock();
      const ctx = testContext(db, { clock });
      expect(await talk(ctx, 1, alternate(60))).toBe(30);
      clock.advance(60_000);
      expect(async () => checkLoopGuard(ctx, 1, 1)).toThrow(
        expect.objectContaining({ details: { resets_at: "2026-01-01T00:10:00.000Z" } }),
      );
      expect(await guardRecord(ctx, 1)).toEqual({
        limit: 30,
        consecutive: 30,
        per_agent: [
          { agent_id: 1, agent_name: "agent 1", consecutive: 15 },
          { agent_id: 2, agent_name: "agent 2", consecutive: 15 },
        ],
        tripped: true,
        resets_at: new Date(clock.now() + 540_000).toISOString(),
      });
      expect(await talk(ctx, 2, alternate(2))).toBe(2);
      noteMessage(ctx, 1, { kind: "system", id: 0 });
      expect(async () => checkLoopGuard(ctx, 1, 1)).toThrow(tripped);
      noteMessage(ctx, 1, { kind: "user", id: 9, name: "ann" });
      expect(checkLoopGuard(ctx, 1, 1)).toBeUndefined();
      expect(await guardRecord(ctx, 1)).toMatchObject({
        consecutive: 0,
        per_agent: [],
        tripped: false,
        resets_at: null,
      });
    });

    test("reads nothing at 0, which turns it off", async () => {
      await using db = await open();
      const ctx = testContext(db, { config: { agentLoopLimit: 0 } });
      for (const id of alternate(100)) {
        expect(checkLoopGuard(ctx, 1, id)).toBeUndefined();
        noteMessage(ctx, 1, { kind: "agent", id, name: "x" });
      }
      expect(await guardRecord(ctx, 1)).toMatchObject({ limit: 0, tripped: false });
    });

    test("is rebuilt on a new server from the messages since a person last wrote, within ten minutes", async () => {
      await using db = await open();
      const clock = stillClock();
      const ctx = testContext(db, { clock, config: { agentLoopLimit: 4 } });
      await putMessages(ctx, [
        fromAgent(1),
        fromAgent(2),
        {},
        fromAgent(1, { sender_name: "Helper" }),
        fromAgent(2),
        fromAgent(1),
      ]);
      expect(await guardRecord(ctx, 1)).toMatchObject({
        consecutive: 3,
        tripped: true,
        per_agent: [
          { agent_id: 1, agent_name: "agent 1", consecutive: 2 },
          { agent_id: 2, agent_name: "agent 2", consecutive: 1 },
        ],
      });
      expect(async () => checkLoopGuard(ctx, 1, 1)).toThrow(tripped);
      expect(checkLoopGuard(ctx, 1, 2)).toBeUndefined();
      clock.advance(10 * 60_000);
      expect(await guardRecord(testContext(db, { clock }), 1)).toMatchObject({ consecutive: 0 });
    });

    test("stays cleared over a restart, and a late echo from control_log clears nothing newer", async () => {
      await using db = await open();
      const clock = stillClock();
      const ctx = testContext(db, { clock, config: { agentLoopLimit: 4 } });
      await putMessages(
        ctx,
        [1, 2, 1, 2].map((id) => fromAgent(id)),
      );
      const other = testContext(db, { clock, config: { agentLoopLimit: 4 } });
      expect(await guardRecord(ctx, 1)).toMatchObject({ tripped: true });
      expect(await guardRecord(other, 1)).toMatchObject({ tripped: true });
      const polls = [await ControlPoll.start(ctx), await ControlPoll.start(other)];
      clock.advance(1);
      await clearLoopGuard(ctx, 1);
      expect(await talk(ctx, 1, [1, 2])).toBe(2);
      for (const poll of polls) await poll.run();
      expect(await guardRecord(ctx, 1)).toMatchObject({ consecutive: 2 });
      expect(await guardRecord(other, 1)).toMatchObject({ consecutive: 0 });
      expect(await guardRecord(testContext(db, { clock }), 1)).toMatchObject({ consecutive: 0 });
      // Another channel, whose number has the same first digit.
      await clearLoopGuard(ctx, 11);
    });

    test("is cleared although a node whose clock is an hour early has cleared it before", async () => {
      await using db = await open();
      const clock = stillClock();
      const ctx = testContext(db, { clock, config: { agentLoopLimit: 4 } });
      const early = testContext(db, { clock: { ...clock, now: () => clock.now() + 3_600_000 } });
      await guardRecord(ctx, 1);
      const poll = await ControlPoll.start(ctx);
      await clearLoopGuard(early, 1);
      await poll.run();
      expect(await talk(ctx, 1, [1, 2, 1, 2])).toBe(4);
      clock.advance(1);
      await clearLoopGuard(ctx, 1);
      expect(await guardRecord(ctx, 1)).toMatchObject({ consecutive: 0 });
    });

    test.each([
      ["counts messages that are sent while it is being rebuilt", 1, 3],
      ["counts what it read at the third try, if messages are sent during each", 3, 4],
    ])("%s", async (_, busyReads, consecutive) => {
      await using db = await open();
      let reads = 0;
      // The messages have been read by now. Those sent from here on are not among them.
      const read = async () => {
        reads += 1;
        if (reads > busyReads) return;
        await putMessages(testContext(db), [fromAgent(1)]);
        noteMessage(ctx, 1, { kind: "agent", id: 1, name: "agent 1" });
      };
      const ctx = testContext({ ...db, db: late(db, read) });
      await putMessages(testContext(db), [fromAgent(1), fromAgent(2)]);
      await checkLoopGuard(ctx, 1, 1);
      expect(await guardRecord(ctx, 1)).toMatchObject({ consecutive });
    });
  });

  test("finds in the database who last spoke as PlatformAgent", async () => {
    await using db = await open();
    const ctx = testContext(db);
    await putMessages(ctx, [fromAgent(1, { sender_name: "PlatformAgent" }), fromAgent(2), {}]);
    expect(await platformAgentRecipients(ctx, 1)).toEqual([1]);
    expect(platformAgentRecipients(ctx, 1)).toEqual([1]);
  });
});
