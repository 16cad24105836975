import type { Clock } from "../../src/clock.ts";
import type { AppContext } from "../../src/context.ts";
import type { OpenDatabase } from "../../src/db/database.ts";
import { transact } from "../../src/db/transact.ts";
import type { ConsumerOptions } from "../../src/event-log/consumer.ts";
import { appendEvent } from "../../src/event-log/events.ts";
import type { Span } from "../../src/event-log/span.ts";
import { testContext } from "./context.ts";

/** A node: a context whose close handlers run when it is disposed. */
export function node(open: OpenDatabase, clock?: Clock): AppContext & AsyncDisposable {
  const closers: (() => void | Promise<void>)[] = [];
  return Object.assign(testContext(open, clock && { clock }), {
    onClose: (act: () => void | Promise<void>) => void closers.push(act),
    async [Symbol.asyncDispose]() {
      for (const close of closers.reverse()) await close();
    },
  });
}

/** Records each span where a rollback undoes it. */
export const note = async (ctx: AppContext, spans: readonly Span[]): Promise<void> => {
  const line = { actor: "consumer", details: null, created_at: 0 };
  const rows = spans.map(({ channelId, after, upTo }) => ({
    ...line,
    action: `${after}-${upTo}`,
    subject: String(channelId),
  }));
  await ctx.db.insertInto("audit_log").values(rows).execute();
};

export const noted = async (ctx: AppContext): Promise<string[]> => {
  const rows = await ctx.db.selectFrom("audit_log").selectAll().orderBy("id").execute();
  return rows.map(({ subject, action }) => `${subject}:${action}`);
};

/** Returns every seq of a channel that was handed over, in order of handling. */
export const numbers = async (ctx: AppContext, channelId: number): Promise<number[]> =>
  (await noted(ctx)).flatMap((line) => {
    const [, channel, after, upTo] = /^(\d+):(\d+)-(\d+)$/.exec(line) ?? [];
    if (Number(channel) !== channelId) return [];
    return Array.from({ length: Number(upTo) - Number(after) }, (_, i) => Number(after) + 1 + i);
  });

export const upTo = (last: number): number[] => Array.from({ length: last }, (_, i) => i + 1);

export const options = (over: Partial<ConsumerOptions> = {}): ConsumerOptions => ({
  purpose: "test",
  everyMs: 1,
  batch: 100,
  handle: note,
  ...over,
});

export async function addChannel(ctx: AppContext, lastSeq: number): Promise<number> {
  const first = await ctx.db.selectFrom("channels").selectAll().orderBy("id").executeTakeFirstOrThrow();
  const { id: _, ...channel } = first;
  const slug = `c${ctx.clock.randomBelow(1e9)}`;
  const row = { ...channel, slug, last_seq: lastSeq };
  return (await ctx.db.insertInto("channels").values(row).returning("id").executeTakeFirstOrThrow()).id;
}

/** Commits a later event, as any slice does. */
export const commit = (ctx: AppContext, channelId: number): Promise<number> =>
  transact(ctx, (ctx) => appendEvent(ctx, channelId, "channel:update"));
