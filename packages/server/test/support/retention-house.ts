import { writableChannel } from "../../src/channels/access/access.ts";
import { findChannelById } from "../../src/channels/channels.store.ts";
import { createChannel } from "../../src/channels/settings/settings.service.ts";
import type { AppContext } from "../../src/context.ts";
import { messagesBefore } from "../../src/event-log/rows.ts";
import type { UserIdentity } from "../../src/http/identity.ts";
import type { PostInput } from "../../src/messages/append/post-input.ts";
import { postMessage } from "../../src/messages/append/post-message.ts";
import { reactions } from "../../src/reactions/reactions.module.ts";
import { user } from "./actors.ts";
import { stillClock } from "./clock.ts";
import { testContext } from "./context.ts";
import type { OpenFresh } from "./databases.ts";

/** Starts a context with a channel of ann's, in which bob and the administrator ruth may act; for tests of retention. */
export async function startHouse(open: OpenFresh) {
  const clock = stillClock();
  const database = await open(clock);
  const closers: (() => unknown)[] = [];
  const ctx = testContext(database, { clock, modules: [reactions], onClose: (close) => void closers.push(close) });
  const [ann, bob, ruth] = [await user(ctx, "ann"), await user(ctx, "bob"), await user(ctx, "ruth", 2)];
  const { id } = await createChannel(ctx, ann, { name: "Tea" });
  const post = async (content: string, more: Partial<PostInput> = {}, who: UserIdentity = ann) =>
    postMessage(ctx, { caller: who, channel: await writableChannel(ctx, who, { id }), content, ...more });
  const channel = async () => {
    const found = await findChannelById(ctx.db, id);
    if (found === null) throw new Error("no channel");
    return found;
  };
  const shown = async () => {
    const rows = await messagesBefore(ctx.db, id, 1_000_000, 1_000);
    return rows.reverse().map(({ content, deleted_at }) => (deleted_at === null ? content : "-"));
  };
  return {
    ctx,
    clock,
    ann,
    bob,
    ruth,
    id,
    post,
    channel,
    shown,
    async [Symbol.asyncDispose]() {
      for (const close of closers.toReversed()) await close();
      await database[Symbol.asyncDispose]();
    },
  };
}

/** Returns the channel's events as they are stored. */
export const logOf = async (ctx: AppContext, id: number) =>
  ctx.db
    .selectFrom("channel_events")
    .select(["seq", "event", "data"])
    .where("channel_id", "=", id)
    .orderBy("seq")
    .execute();
