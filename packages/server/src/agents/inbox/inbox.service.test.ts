import { describe, expect, test } from "bun:test";
import { CompiledQuery } from "kysely";
import { clockAhead } from "../../../test/support/clock.ts";
import { testContext } from "../../../test/support/context.ts";
import { eachDatabase } from "../../../test/support/databases.ts";
import { putMessages } from "../../../test/support/put-messages.ts";
import { eventually } from "../../../test/support/servers/test-server.ts";
import type { AppContext } from "../../context.ts";
import { transact } from "../../db/transact.ts";
import type { AgentIdentity } from "../../http/identity.ts";
import { insertItems, type NewItem } from "../../messages/inbox/inbox-rows.ts";
import { issueKey } from "../keys/keys.ts";
import { ackMentions, readMentions } from "../mentions/mentions.service.ts";
import { ackInbox, readInbox } from "./inbox.service.ts";
import { sweepInbox } from "./inbox-limits.ts";

const never = new AbortController().signal;

async function agent(ctx: AppContext): Promise<AgentIdentity> {
  const key = await issueKey(ctx, { agentName: "Helper" });
  return { kind: "agent", keyId: key.key_id, agentId: key.agent_id, key: `a${key.agent_id}` };
}

const put = (ctx: AppContext, items: readonly NewItem[]) => transact(ctx, ({ db }) => insertItems(db, items));

/** Returns items for one new message. */
async function itemsFor(ctx: AppContext, { agentId }: AgentIdentity, count: number): Promise<NewItem[]> {
  const [message_id = 0] = await putMessages(ctx, [{ content: "@Helper" }]);
  const item = { agent_id: agentId, agent_name: "Helper", channel_id: 1, message_id, created_at: ctx.clock.now() };
  return Array.from({ length: count }, () => item);
}

eachDatabase((name, open) => {
  describe("the inbox", () => {
    test("holds 1,000 items a name, and a notice counts what was dropped", async () => {
      await using db = await open();
      const ctx = testContext(db);
      const helper = await agent(ctx);
      const items = await itemsFor(ctx, helper, 1_003);
      const stored = await put(ctx, items);
      const page = await readInbox(ctx, helper, { limit: 1 }, never);
      expect(page).toMatchObject({ count: 1, remaining: 1_000, last_item_id: stored[3] });
      await put(ctx, items.slice(0, 2));
      for (let n = 0; n < 3; n += 1) await sweepInbox(ctx);
      const notices = await readInbox(ctx, helper, { kinds: "notice" }, never);
      expect(notices.items.map(({ notice }) => notice)).toEqual([
        {
          type: "items_dropped",
          text: "5 items were dropped, because the inbox holds 1,000 of each kind and name.",
          details: { dropped: 5 },
        },
      ]);
      expect((await readMentions(ctx, helper, { mark_read: false, limit: 1 }, never)).remaining).toBe(999);
    });

    test("lets items for which an agent asked end after a day, pending or not, and no others", async () => {
      await using db = await open();
      const clock = clockAhead();
      const ctx = testContext(db, { clock });
      const helper = await agent(ctx);
      const [item] = await itemsFor(ctx, helper, 1);
      if (item === undefined) throw new Error("There is no item.");
      const kinds = ["mention", "message", "reply", "command", "edit"] as const;
      await put(
        ctx,
        kinds.map((kind) => ({ ...item, kind })),
      );
      clock.ahead += 24 * 60 * 60_000 - 60_000;
      await sweepInbox(ctx);
      expect((await readInbox(ctx, helper, {}, never)).count).toBe(5);
      clock.ahead += 120_000;
      await sweepInbox(ctx);
      expect((await readInbox(ctx, helper, {}, never)).items.map(({ kind }) => kind)).toEqual(["mention"]);
    });

    test("shows direct messages, which are no mentions", async () => {
      await using db = await open();
      const ctx = testContext(db);
      const helper = await agent(ctx);
      const [item] = await itemsFor(ctx, helper, 1);
      if (item === undefined) throw new Error("There is no item.");
      const [direct = 0, mention = 0] = await put(ctx, [{ ...item, kind: "direct" }, item]);
      const { items } = await readInbox(ctx, helper, {}, never);
      expect(items.map(({ item_id, kind }) => [item_id, kind])).toEqual([
        [direct, "direct"],
        [mention, "mention"],
      ]);
      expect((await readMentions(ctx, helper, { mark_read: false }, never)).mentions).toHaveLength(1);
      expect(await ackMentions(ctx, helper, { mention_ids: [direct, mention] })).toEqual({
        acknowledged: 1,
        remaining: 0,
      });
      expect(await ackInbox(ctx, helper, { item_ids: [direct, mention] })).toEqual({ acknowledged: 1, remaining: 0 });
    });

    test("does not show items of a channel that the agent may no longer read, and keeps them", async () => {
      await using db = await open();
      const ctx = testContext(db);
      const helper = await agent(ctx);
      const [item] = await itemsFor(ctx, helper, 1);
      if (item === undefined) throw new Error("There is no item.");
      await put(ctx, [{ ...item, channel_id: 99 }]);
      expect(await readInbox(ctx, helper, {}, never)).toEqual({ items: [], count: 0, remaining: 0, last_item_id: 0 });
      expect(await ackInbox(ctx, helper, { item_ids: [] })).toEqual({ acknowledged: 0, remaining: 1 });
    });

    test("skips nothing after an id, though two transactions store items at once", async () => {
      await using db = await open();
      const ctx = testContext(db);
      const helper = await agent(ctx);
      const items = await itemsFor(ctx, helper, 1);
      const seen: number[] = [];
      const look = async () => {
        const page = await readInbox(ctx, helper, { after_item_id: seen.at(-1) ?? 0 }, never);
        seen.push(...page.items.map(({ item_id }) => item_id));
      };
      const gate = Promise.withResolvers<void>();
      let begun = 0;
      const slow = transact(ctx, async ({ db }) => {
        await insertItems(db, items);
        begun += 1;
        await gate.promise;
      });
      // On SQLite the second transaction begins when the first one has ended.
      if (name === "pglite") gate.resolve();
      await eventually("the first item is stored", () => begun === 1);
      const fast = put(ctx, items);
      if (name === "postgres") {
        await Promise.race([fast, waitsForLock(ctx)]);
        await look();
      }
      gate.resolve();
      await Promise.all([slow, fast]);
      await look();
      expect(seen).toHaveLength(2);
    });
  });
});

const WAITING = CompiledQuery.raw("select count(*) as count from pg_locks where locktype = 'advisory' and not granted");

/** Resolves when a session waits for an advisory lock. */
async function waitsForLock(ctx: AppContext): Promise<void> {
  await eventually("the second transaction waits", async () => {
    const { rows } = await ctx.db.executeQuery<{ count: string }>(WAITING);
    return Number(rows[0]?.count) > 0;
  });
}
