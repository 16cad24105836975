import { describe, expect, test } from "bun:test";
import { stillClock } from "../../../test/support/clock.ts";
import { testContext } from "../../../test/support/context.ts";
import { eachDatabase } from "../../../test/support/databases.ts";
import { putMessages } from "../../../test/support/put-messages.ts";
import type { AppContext } from "../../context.ts";
import { transact } from "../../db/transact.ts";
import type { AgentIdentity } from "../../http/identity.ts";
import { insertItems, type NewItem } from "../../messages/inbox/inbox-rows.ts";
import { publishControl } from "../../realtime/control/control.ts";
import { publishEvent } from "../../realtime/publish.ts";
import { agentTopic } from "../../realtime/topics.ts";
import { sweepInbox } from "../inbox/inbox-limits.ts";
import { issueKey, revokeKey } from "../keys/keys.ts";
import { ackMentions, readMentions } from "./mentions.service.ts";

const put = (ctx: AppContext, items: readonly NewItem[]) => transact(ctx, ({ db }) => insertItems(db, items));

async function agent(ctx: AppContext, agentName?: string): Promise<AgentIdentity> {
  const key = await issueKey(ctx, agentName === undefined ? {} : { agentName });
  return { kind: "agent", keyId: key.key_id, agentId: key.agent_id, key: `a${key.agent_id}` };
}

/** Mentions the agent in `count` new messages; returns the messages' ids. */
async function mention(ctx: AppContext, who: AgentIdentity, count: number, agentName = "Helper"): Promise<number[]> {
  const ids = await putMessages(
    ctx,
    Array.from({ length: count }, (_, i) => ({ content: `@${agentName} ${i + 1}` })),
  );
  await put(
    ctx,
    ids.map((message_id) => ({
      agent_id: who.agentId,
      agent_name: agentName,
      channel_id: 1,
      message_id,
      created_at: ctx.clock.now(),
    })),
  );
  return ids;
}

const never = new AbortController().signal;
const contents = (page: { mentions: { content: string }[] }) => page.mentions.map(({ content }) => content);

eachDatabase((_name, open) => {
  describe("mentions", () => {
    test("are returned oldest first with all fields, and are then removed", async () => {
      await using db = await open();
      const ctx = testContext(db, { clock: stillClock() });
      const helper = await agent(ctx, "Helper");
      const ids = await mention(ctx, helper, 3);
      const page = await readMentions(ctx, helper, { limit: 2 }, never);
      expect(page).toMatchObject({ count: 2, remaining: 1, mark_read: true });
      expect(page.mentions[0]).toEqual({
        mention_id: expect.any(Number),
        message_id: ids[0] ?? 0,
        seq: 1,
        channel_id: 1,
        channel_slug: "general",
        agent_name: "Helper",
        content: "@Helper 1",
        sender_type: "user",
        sender_name: "ann",
        created_at: "2026-01-01T00:00:00.000Z",
        thread_root_id: null,
        files: [],
        authority: "guest",
        rendered: expect.stringMatching(/ from=user:"ann" authority=guest to_you=true>\n@Helper 1\n<\/message \w+>$/),
      });
      expect(contents(await readMentions(ctx, helper, {}, never))).toEqual(["@Helper 3"]);
      expect(await readMentions(ctx, helper, {}, never)).toEqual({
        mentions: [],
        count: 0,
        remaining: 0,
        mark_read: true,
      });
    });

    test("stay pending with mark_read=false until they are acknowledged", async () => {
      await using db = await open();
      const ctx = testContext(db);
      const helper = await agent(ctx, "Helper");
      await mention(ctx, helper, 4);
      const keep = { mark_read: false };
      const page = await readMentions(ctx, helper, { ...keep, limit: 2 }, never);
      expect(page).toMatchObject({ count: 2, remaining: 2, mark_read: false });
      expect(contents(await readMentions(ctx, helper, keep, never))).toHaveLength(4);
      const [first, second] = page.mentions.map(({ mention_id }) => mention_id);
      expect(await ackMentions(ctx, helper, { mention_ids: [second ?? 0, 999_999] })).toEqual({
        acknowledged: 1,
        remaining: 3,
      });
      expect(await ackMentions(ctx, helper, { up_to_mention_id: second ?? 0 })).toEqual({
        acknowledged: 1,
        remaining: 2,
      });
      expect(await ackMentions(ctx, helper, { mention_ids: [first ?? 0] })).toEqual({ acknowledged: 0, remaining: 2 });
      expect(await ackMentions(ctx, helper, { mention_ids: [] })).toEqual({ acknowledged: 0, remaining: 2 });
      const wrong = expect.objectContaining({ code: "invalid_request" });
      expect(ackMentions(ctx, helper, {})).rejects.toEqual(wrong);
      expect(ackMentions(ctx, helper, { mention_ids: [1], up_to_mention_id: 1 })).rejects.toEqual(wrong);
    });

    test("are neither readable nor removable by other agents", async () => {
      await using db = await open();
      const ctx = testContext(db);
      const helper = await agent(ctx, "Helper");
      const other = await agent(ctx, "Other");
      await mention(ctx, helper, 1);
      expect(contents(await readMentions(ctx, other, { agent_name: "Helper" }, never))).toEqual([]);
      const { mentions } = await readMentions(ctx, helper, { mark_read: false }, never);
      const ids = mentions.map(({ mention_id }) => mention_id);
      expect(await ackMentions(ctx, other, { mention_ids: ids })).toMatchObject({ acknowledged: 0 });
      expect(await ackMentions(ctx, other, { up_to_mention_id: 1_000_000 })).toMatchObject({ acknowledged: 0 });
      expect(contents(await readMentions(ctx, helper, {}, never))).toHaveLength(1);
    });

    test("go to one of two concurrent readers each", async () => {
      await using db = await open();
      const ctx = testContext(db);
      const helper = await agent(ctx, "Helper");
      await mention(ctx, helper, 40);
      const pages = await Promise.all(Array.from({ length: 8 }, () => readMentions(ctx, helper, { limit: 10 }, never)));
      let rest = await readMentions(ctx, helper, { limit: 200 }, never);
      const seen = [...pages.flatMap(contents), ...contents(rest)];
      expect(seen).toHaveLength(40);
      expect(new Set(seen).size).toBe(40);
      rest = await readMentions(ctx, helper, { include_removed: true, limit: 200 }, never);
      expect(rest).toMatchObject({ count: 40, remaining: 0 });
    });

    test("can be filtered by name, in any spelling, and by channel", async () => {
      await using db = await open();
      const ctx = testContext(db);
      const bot = await agent(ctx, "Data Bot");
      await mention(ctx, bot, 1, "Data Bot");
      await mention(ctx, bot, 2, "PlatformAgent");
      const keep = { mark_read: false };
      expect(contents(await readMentions(ctx, bot, { ...keep, agent_name: "data_bot" }, never))).toEqual([
        "@Data Bot 1",
      ]);
      const platform = await readMentions(ctx, bot, { ...keep, agent_name: "PlatformAgent" }, never);
      expect(platform).toMatchObject({ count: 2, remaining: 0 });
      expect(await readMentions(ctx, bot, { ...keep, channel_slug: "general" }, never)).toMatchObject({ count: 3 });
      expect(readMentions(ctx, bot, { channel_slug: "nowhere" }, never)).rejects.toEqual(
        expect.objectContaining({ code: "channel_not_found" }),
      );
    });

    test("are hidden if the agent may no longer read their channel", async () => {
      await using db = await open();
      const ctx = testContext(db);
      const helper = await agent(ctx, "Helper");
      await mention(ctx, helper, 2);
      await db.db.updateTable("channels").set({ is_private: 1 }).execute();
      expect(await readMentions(ctx, helper, { include_removed: true }, never)).toMatchObject({ count: 0 });
    });

    test("are paged newest first once removed, with a count of the rest", async () => {
      await using db = await open();
      const ctx = testContext(db);
      const helper = await agent(ctx, "Helper");
      await mention(ctx, helper, 5);
      await readMentions(ctx, helper, { limit: 4 }, never);
      const query = { include_removed: true, mark_read: false, limit: 2 };
      const first = await readMentions(ctx, helper, query, never);
      expect(contents(first)).toEqual(["@Helper 5", "@Helper 4"]);
      expect(first.remaining).toBe(3);
      const next = { ...query, before_mention_id: first.mentions[1]?.mention_id ?? 0 };
      const second = await readMentions(ctx, helper, next, never);
      expect([contents(second), second.remaining]).toEqual([["@Helper 3", "@Helper 2"], 1]);
      const last = { ...query, before_mention_id: second.mentions[1]?.mention_id ?? 0 };
      const third = await readMentions(ctx, helper, last, never);
      expect([contents(third), third.remaining]).toEqual([["@Helper 1"], 0]);
      expect(readMentions(ctx, helper, { before_mention_id: 1 }, never)).rejects.toEqual(
        expect.objectContaining({ code: "invalid_request" }),
      );
    });

    test("can be read again for 24 hours after they were removed", async () => {
      await using db = await open();
      const clock = stillClock();
      const ctx = testContext(db, { clock });
      const helper = await agent(ctx, "Helper");
      await mention(ctx, helper, 2);
      await readMentions(ctx, helper, { limit: 1 }, never);
      clock.advance(24 * 60 * 60_000 - 1);
      await sweepInbox(ctx);
      const again = await readMentions(ctx, helper, { include_removed: true, mark_read: false }, never);
      expect(again).toMatchObject({ count: 2, remaining: 0 });
      clock.advance(1);
      expect(contents(await readMentions(ctx, helper, { include_removed: true, mark_read: false }, never))).toEqual([
        "@Helper 2",
      ]);
      await sweepInbox(ctx);
      expect(await db.db.selectFrom("mentions").selectAll().execute()).toHaveLength(1);
    });

    test("are limited to 1,000 a name: the oldest are dropped and counted, when reading and in the sweep", async () => {
      await using db = await open();
      const ctx = testContext(db);
      const helper = await agent(ctx, "Helper");
      const [message] = await mention(ctx, helper, 1);
      const rows = (agent_name: string, count: number) =>
        Array.from({ length: count }, () => ({
          agent_id: helper.agentId,
          agent_name,
          channel_id: 1,
          message_id: message ?? 0,
          created_at: 0,
        }));
      await put(ctx, [...rows("Helper", 1_002), ...rows("PlatformAgent", 1_000)]);
      const page = await readMentions(ctx, helper, { mark_read: false, agent_name: "Helper", limit: 1 }, never);
      expect(page).toMatchObject({ count: 1, remaining: 999 });
      expect(page.mentions[0]?.mention_id).toBeGreaterThan(3);
      const dropped = async () =>
        (await db.db.selectFrom("agents").select("dropped_mentions").executeTakeFirstOrThrow()).dropped_mentions;
      expect(await dropped()).toBe(3);
      await put(ctx, rows("PlatformAgent", 5));
      await sweepInbox(ctx);
      expect(await dropped()).toBe(8);
    });

    test("end a waiting read when they arrive", async () => {
      await using db = await open();
      const ctx = testContext(db);
      const helper = await agent(ctx, "Helper");
      const waiting = readMentions(ctx, helper, { wait: 30 }, never);
      await mention(ctx, helper, 1);
      publishEvent(ctx, agentTopic(helper.agentId), "mention:new", {});
      expect(contents(await waiting)).toEqual(["@Helper 1"]);
    });

    test("stay pending if the client disconnects before it gets them", async () => {
      await using db = await open();
      const ctx = testContext(db);
      const helper = await agent(ctx, "Helper");
      await mention(ctx, helper, 1);
      const gone = new AbortController();
      const reading = readMentions(ctx, helper, {}, gone.signal);
      gone.abort();
      expect(await reading).toMatchObject({ count: 0 });
      expect(contents(await readMentions(ctx, helper, {}, never))).toEqual(["@Helper 1"]);
    });

    test("stop waiting when the client disconnects or its key is revoked", async () => {
      await using db = await open();
      const ctx = testContext(db);
      const helper = await agent(ctx, "Helper");
      const gone = new AbortController();
      const waiting = readMentions(ctx, helper, { wait: 30 }, gone.signal);
      gone.abort();
      expect(await waiting).toMatchObject({ count: 0 });
      const other = readMentions(ctx, helper, { wait: 30 }, never);
      await revokeKey(ctx, helper.keyId);
      publishControl(ctx, "key_revoked", helper.keyId);
      expect(other).rejects.toEqual(expect.objectContaining({ code: "key_revoked" }));
      await other.catch(() => {});
      expect(ctx.hub.holders(agentTopic(helper.agentId))).toBe(0);
    });
  });
});
