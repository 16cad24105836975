import { DELETED_USER } from "@parley/protocol/privacy";
import { HIDDEN_AT } from "../base/hidden-at.ts";
import type { AppContext } from "../context.ts";
import type { Db } from "../db/db.ts";
import type { ErasingStep } from "../erasure.ts";
import { appendEvent, lockChannel } from "../event-log/events.ts";
import { columnOf, countsOf, oneLess, recordsOf } from "../event-log/reaction-counts.ts";
import { changeStored, storedMessage } from "../messages/message-hooks.ts";
import { type PageAfter, pagedList } from "../user-export.ts";
import { deleteReaction, type GivenReaction, reactionsOf } from "./reactions.store.ts";

const REACTIONS = 50;

/**
 * Removes the user's reactions as they could have done themselves: the counts decrease under the channel's row lock,
 * and each removal is a durable event (protocol §4) that does not name them. Runs before `eraseEvents`.
 */
export const eraseReactions: ErasingStep = async (ctx, { userId }, from) => {
  const given = await reactionsOf(ctx.db, userId, REACTIONS);
  const byChannel = Map.groupBy(given, ({ channel_id }) => channel_id);
  for (const [channelId, own] of [...byChannel].sort(([a], [b]) => a - b)) {
    // A deleted channel accepts no events and no reactions.
    if (own[0]?.deleted_at === null) await lockChannel(ctx, channelId);
    for (const reaction of own) await takeBack(ctx, userId, reaction);
  }
  return given.length === 0 ? null : from;
};

async function takeBack(ctx: AppContext, userId: number, given: GivenReaction): Promise<void> {
  const { message_id, reaction, channel_id, slug } = given;
  if (!(await deleteReaction(ctx.db, message_id, { kind: "user", id: userId }, reaction))) return;
  const before = await storedMessage(ctx, message_id);
  if (before === undefined) return;
  const reactions = columnOf(oneLess(countsOf(before.reactions), reaction));
  await changeStored(ctx, message_id, { reactions });
  if (given.deleted_at !== null) return;
  await appendEvent(ctx, channel_id, "reaction:update", {
    data: {
      message_id,
      reactions: recordsOf(countsOf(reactions)),
      username: DELETED_USER,
      agent_name: null,
      agent_id: null,
      reaction,
      added: false,
    },
    message: { row: { ...before, reactions }, channelSlug: slug },
  });
}

interface ExportedReaction {
  message_id: number;
  reaction: string;
  created_at: number;
}

function reactionsAfter(db: Db, { userId, last, limit }: PageAfter<ExportedReaction>): Promise<ExportedReaction[]> {
  const [message, reaction] = [last?.message_id ?? 0, last?.reaction ?? ""];
  return db
    .selectFrom("reactions")
    .select(["message_id", "reaction", "created_at"])
    .where("actor_kind", "=", "user")
    .where("actor_id", "=", userId)
    .where((eb) =>
      // Nobody sees the messages of a closed import.
      eb.not(
        eb.exists(
          eb
            .selectFrom("messages")
            .innerJoin("channels", "channels.id", "messages.channel_id")
            .select("messages.id")
            .whereRef("messages.id", "=", "reactions.message_id")
            .where("channels.deleted_at", "=", HIDDEN_AT),
        ),
      ),
    )
    .where((eb) =>
      eb.or([eb("message_id", ">", message), eb.and([eb("message_id", "=", message), eb("reaction", ">", reaction)])]),
    )
    .orderBy("message_id")
    .orderBy("reaction")
    .limit(limit)
    .execute();
}

export const exportReactions = pagedList(reactionsAfter);
