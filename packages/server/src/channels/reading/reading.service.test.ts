import { describe, expect, test } from "bun:test";
import { UNREAD_COUNT_MAX, UNREAD_LOOK_BACK } from "@parley/protocol/limits";
import fc from "fast-check";
import { agent, code, user } from "../../../test/support/actors.ts";
import { testContext } from "../../../test/support/context.ts";
import { eachDatabase } from "../../../test/support/databases.ts";
import { joinUnpaid } from "../../../test/support/join.ts";
import { putMessages } from "../../../test/support/put-messages.ts";
import type { AppContext } from "../../context.ts";
import type { UserIdentity } from "../../http/identity.ts";
import { postMessage } from "../../messages/append/post-message.ts";
import { deleteMessage } from "../../messages/messages.service.ts";
import { writableChannel } from "../access/access.ts";
import { visibleChannels } from "../channel-list.ts";
import { channelRecord } from "../channels.service.ts";
import { leaveChannel } from "../members/join.service.ts";
import { createChannel, updateChannel } from "../settings/settings.service.ts";
import { markRead, markUnread, readAllChannels } from "./reading.service.ts";

const GENERAL = 1;

async function say(ctx: AppContext, caller: UserIdentity, id: number): Promise<{ id: number; seq: number }> {
  return postMessage(ctx, { caller, channel: await writableChannel(ctx, caller, { id }), content: "hello" });
}

/** Returns the read state from the list and from the record, which must agree. */
async function readingOf(ctx: AppContext, caller: UserIdentity, id: number): Promise<[number | null, number | null]> {
  const { channels } = await visibleChannels(ctx, caller, {});
  const listed = channels.find((channel) => channel.id === id);
  const record = await channelRecord(ctx, caller, await writableChannel(ctx, caller, { id }));
  if (listed === undefined) throw new Error("not listed");
  expect([listed.last_read_seq, listed.unread_count]).toEqual([record.last_read_seq, record.unread_count]);
  return [record.last_read_seq, record.unread_count];
}

type Step =
  | { kind: "send"; by: 0 | 1 }
  | { kind: "delete"; by: 0 | 1; which: number }
  | { kind: "read"; by: 0 | 1; upTo: number | null }
  | { kind: "unread"; by: 0 | 1; from: number }
  | { kind: "settings" };

const BY = fc.constantFrom(0 as const, 1 as const);
const STEP: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: fc.constant("send" as const), by: BY }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("delete" as const), by: BY, which: fc.nat(20) }) },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant("read" as const), by: BY, upTo: fc.option(fc.nat(40), { nil: null }) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant("unread" as const), by: BY, from: fc.integer({ min: 1, max: 30 }) }),
  },
  { weight: 1, arbitrary: fc.constant({ kind: "settings" as const }) },
);

/** A minimal model of two people in a channel. */
class Model {
  readonly messages: { id: number; seq: number; by: number; isDeleted: boolean }[] = [];
  readonly marks: [number, number];
  readonly unreadFrom: [number | null, number | null] = [null, null];
  lastSeq: number;

  constructor(lastSeq: number) {
    this.lastSeq = lastSeq;
    this.marks = [lastSeq, lastSeq];
  }

  readingOf(who: 0 | 1): [number, number] {
    const isUnread = (seq: number) => seq > this.marks[who] || seq >= (this.unreadFrom[who] ?? seq + 1);
    const unread = this.messages.filter(({ seq, by, isDeleted }) => isUnread(seq) && by !== who && !isDeleted);
    return [this.marks[who], unread.length];
  }

  /** What the user has marked as unread is read once they reach it, message by message. */
  read(who: 0 | 1, upTo: number): void {
    const [from, mark] = [this.unreadFrom[who], this.marks[who]];
    if (from !== null && from <= upTo) this.unreadFrom[who] = upTo < mark ? upTo + 1 : null;
    this.marks[who] = Math.max(mark, Math.min(upTo, this.lastSeq));
  }
}

eachDatabase((name, open) => {
  test("unread counts follow the model, in any order of sends, deletions and reads by two people", async () => {
    await using database = await open();
    const ctx = testContext(database);
    const people = [await user(ctx, "ann"), await user(ctx, "bob")] as const;
    // Each step runs a dozen queries, and databases other than SQLite are ten times slower to reach.
    const runs = name === "sqlite" ? 80 : 3;
    const outcome = fc.asyncProperty(fc.array(STEP, { maxLength: runs > 3 ? 25 : 12 }), async (steps) => {
      const { id } = await createChannel(ctx, people[0], { name: "Tea" });
      await joinUnpaid(ctx, people[1], { id });
      const model = new Model(0);
      for (const step of steps) {
        await perform(ctx, people, id, model, step);
        for (const who of [0, 1] as const) expect(await readingOf(ctx, people[who], id)).toEqual(model.readingOf(who));
      }
      await ctx.db.updateTable("channels").set({ deleted_at: 1 }).where("id", "=", id).execute();
    });
    await fc.assert(outcome, { numRuns: runs, seed: 5 });
  });

  test("concurrent reads leave the furthest mark, and its event reports what is stored", async () => {
    await using database = await open();
    const ctx = testContext(database);
    const [ann, bob] = [await user(ctx, "ann"), await user(ctx, "bob")];
    await joinUnpaid(ctx, bob, { id: GENERAL });
    for (let n = 0; n < 5; n++) await say(ctx, ann, GENERAL);
    const answers = await Promise.all([
      ...[3, 1, 5, 2, 4].map((seq) => markRead(ctx, bob, { id: GENERAL }, seq)),
      ...[1, 2, 3].map(() => say(ctx, ann, GENERAL)),
    ]);
    for (const answer of answers) if ("last_read_seq" in answer) expect(answer.last_read_seq).toBeLessThanOrEqual(5);
    expect(await readingOf(ctx, bob, GENERAL)).toEqual([5, 3]);
  });

  describe("a read mark", () => {
    test("never moves back, nor past the newest message", async () => {
      await using database = await open();
      const ctx = testContext(database);
      const [ann, bob] = [await user(ctx, "ann"), await user(ctx, "bob")];
      await joinUnpaid(ctx, bob, { id: GENERAL });
      for (let n = 0; n < 3; n++) await say(ctx, ann, GENERAL);
      const mark = (seq: number | null) => markRead(ctx, bob, { id: GENERAL }, seq);
      expect(await mark(2)).toEqual({
        channel_id: GENERAL,
        last_read_seq: 2,
        unread_from_seq: null,
        unread_count: 1,
        last_seq: 3,
      });
      expect(await mark(1)).toMatchObject({ last_read_seq: 2 });
      expect(await mark(0)).toMatchObject({ last_read_seq: 2 });
      expect(await mark(Number.MAX_SAFE_INTEGER)).toMatchObject({ last_read_seq: 3, unread_count: 0 });
      expect(await mark(null)).toMatchObject({ last_read_seq: 3 });
    });

    test("belongs to a membership and ends with it: messages sent while away are not unread", async () => {
      await using database = await open();
      const ctx = testContext(database);
      const [ann, bob] = [await user(ctx, "ann"), await user(ctx, "bob")];
      await say(ctx, ann, GENERAL);
      await expect(markRead(ctx, bob, { id: GENERAL }, null)).rejects.toEqual(code("not_a_member"));
      await joinUnpaid(ctx, bob, { id: GENERAL });
      expect(await readingOf(ctx, bob, GENERAL)).toEqual([1, 0]);
      await say(ctx, ann, GENERAL);
      expect(await readingOf(ctx, bob, GENERAL)).toEqual([1, 1]);
      await leaveChannel(ctx, bob, { id: GENERAL });
      await say(ctx, ann, GENERAL);
      await joinUnpaid(ctx, bob, { id: GENERAL });
      expect(await readingOf(ctx, bob, GENERAL)).toEqual([3, 0]);
    });
  });

  test("counts agents' messages but not the user's own, up to a limit", async () => {
    await using database = await open();
    const ctx = testContext(database);
    const [ann, bob] = [await user(ctx, "ann"), await user(ctx, "bob")];
    const scout = await agent(ctx, "Scout");
    await joinUnpaid(ctx, bob, { id: GENERAL });
    await putMessages(ctx, [
      { user_id: bob.userId },
      { sender_type: "agent", agent_id: scout.agentId },
      { sender_type: "system", sender_name: "system" },
      { user_id: ann.userId, deleted_at: 5 },
    ]);
    expect(await readingOf(ctx, bob, GENERAL)).toEqual([0, 2]);
    const fromAnn = Array.from({ length: UNREAD_COUNT_MAX - 3 }, () => ({ user_id: ann.userId }));
    await putMessages(ctx, fromAnn);
    expect(await readingOf(ctx, bob, GENERAL)).toEqual([0, UNREAD_COUNT_MAX - 1]);
    await putMessages(ctx, fromAnn);
    expect(await readingOf(ctx, bob, GENERAL)).toEqual([0, UNREAD_COUNT_MAX]);
  });

  test("everything is read however many channels there are, and only once", async () => {
    await using database = await open();
    const ctx = testContext(database);
    const bob = await user(ctx, "bob");
    const channels = Array.from({ length: 300 }, (_, at) => ({
      slug: `c${at}`,
      name: `c${at}`,
      last_seq: 5,
      is_private: 0,
      pin_policy: "admins" as const,
      post_policy: "everyone" as const,
      agent_policy: "allow" as const,
      slow_mode_seconds: 0,
      last_message_at: 0,
      created_at: 1,
      updated_at: 1,
    }));
    const made = await ctx.db.insertInto("channels").values(channels).returning("id").execute();
    const members = made.map(({ id }, at) => ({
      channel_id: id,
      user_id: bob.userId,
      role: "member" as const,
      joined_at: 1,
      last_read_seq: at % 3 === 0 ? 5 : 2,
      unread_from_seq: at % 3 === 1 ? 1 : null,
    }));
    await ctx.db.insertInto("channel_members").values(members).execute();
    const changed = await Promise.all([readAllChannels(ctx, bob.userId), readAllChannels(ctx, bob.userId)]);
    expect(changed[0] + changed[1]).toBe(200);
    const left = await ctx.db
      .selectFrom("channel_members")
      .select("channel_id")
      .where("user_id", "=", bob.userId)
      .where("channel_id", "<>", GENERAL)
      .where((eb) => eb.or([eb("last_read_seq", "<>", 5), eb("unread_from_seq", "is not", null)]))
      .execute();
    expect(left).toEqual([]);
    expect(await readAllChannels(ctx, bob.userId)).toBe(0);
  });

  test("the unread count looks back a bounded number of messages", async () => {
    await using database = await open();
    const ctx = testContext(database);
    const [ann, bob] = [await user(ctx, "ann"), await user(ctx, "bob")];
    await joinUnpaid(ctx, bob, { id: GENERAL });
    const own = Array.from({ length: UNREAD_LOOK_BACK - 1 }, () => ({ user_id: bob.userId }));
    await putMessages(ctx, [{ user_id: ann.userId }, { user_id: ann.userId }, ...own]);
    expect(await readingOf(ctx, bob, GENERAL)).toEqual([0, 1]);
  });
});

async function perform(
  ctx: AppContext,
  people: readonly [UserIdentity, UserIdentity],
  id: number,
  model: Model,
  step: Step,
): Promise<void> {
  switch (step.kind) {
    case "send": {
      const sent = await say(ctx, people[step.by], id);
      model.lastSeq += 1;
      expect(sent.seq).toBe(model.lastSeq);
      model.messages.push({ ...sent, by: step.by, isDeleted: false });
      return;
    }
    case "delete": {
      const message = model.messages.filter(({ by, isDeleted }) => by === step.by && !isDeleted)[step.which];
      if (message === undefined) return;
      await deleteMessage(ctx, people[step.by], message.id);
      message.isDeleted = true;
      model.lastSeq += 1;
      return;
    }
    case "read": {
      const state = await markRead(ctx, people[step.by], { id }, step.upTo);
      model.read(step.by, step.upTo ?? Number.POSITIVE_INFINITY);
      expect([state.last_read_seq, state.unread_count]).toEqual(model.readingOf(step.by));
      expect([state.unread_from_seq, state.last_seq]).toEqual([model.unreadFrom[step.by], model.lastSeq]);
      return;
    }
    case "unread": {
      const state = await markUnread(ctx, people[step.by], { id }, step.from);
      if (step.from <= model.lastSeq) model.unreadFrom[step.by] = step.from;
      expect([state.last_read_seq, state.unread_count]).toEqual(model.readingOf(step.by));
      expect(state.unread_from_seq).toBe(model.unreadFrom[step.by]);
      return;
    }
    default:
      await updateChannel(ctx, people[0], { id }, { topic: `after ${model.lastSeq}` });
      model.lastSeq += 1;
  }
}
