import { type AppContext, perServer } from "../context.ts";
import { type Follower, followMessages } from "../event-log/consumer.ts";
import { addActivity, sentIn } from "./owned-agents.store.ts";

const EVERY_MS = 5_000;
const BATCH = 2_000;

/** Counts what agents send per channel, off the send path, for their owners to see. Starts with the first call. */
export const agentActivity: (ctx: AppContext) => Follower = perServer((ctx) =>
  followMessages(ctx, {
    purpose: "agent_activity",
    everyMs: EVERY_MS,
    batch: BATCH,
    async handle(ctx, { channelId, after, upTo }) {
      const sent = await sentIn(ctx.db, channelId, after, upTo);
      if (sent.length > 0) await addActivity(ctx.db, channelId, sent);
    },
  }),
);
