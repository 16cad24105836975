import { type AppContext, perServer } from "../context.ts";
import { type Consumer, consumeMessages } from "../event-log/consumer.ts";
import type { Span } from "../event-log/span.ts";
import { creditHundred } from "./earning.ts";
import { addMessages, countMessages } from "./honor.store.ts";
import { noteWritten } from "./invitations.ts";

const HUNDRED = 100;

/** Counts users' messages in the background, after their commit, and pays for every full hundred. */
const activity = perServer(
  (ctx): Consumer =>
    consumeMessages(ctx, {
      purpose: "activity",
      everyMs: 2_000,
      batch: 1_000,
      handle: (ctx, spans) => countSpans(ctx, spans),
    }),
);

/** Starts counting, until the server closes. */
export function startActivity(ctx: AppContext): void {
  activity(ctx);
}

/** Resolves when all messages that are committed now have been counted. */
export function countedActivity(ctx: AppContext): Promise<void> {
  return activity(ctx).flush();
}

async function countSpans(ctx: AppContext, spans: readonly Span[]): Promise<void> {
  const counts = await countMessages(ctx.db, spans);
  const counted = new Map(counts.map(({ userId, count }) => [userId, count]));
  for (const { user_id, message_count } of await addMessages(ctx.db, counts)) {
    const before = message_count - (counted.get(user_id) ?? 0);
    for (let hundred = firstAfter(before); hundred * HUNDRED <= message_count; hundred++)
      await creditHundred(ctx, user_id, hundred);
  }
  await noteWritten(ctx, counts);
}

const firstAfter = (count: number): number => Math.floor(count / HUNDRED) + 1;
