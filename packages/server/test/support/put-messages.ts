import type { Insertable } from "kysely";
import type { AppContext } from "../../src/context.ts";
import type { MessagesTable } from "../../src/db/tables.ts";

/** Puts messages into the first channel straight, as if they were sent at those times. Gives back their ids. */
export async function putMessages(
  ctx: AppContext,
  messages: readonly Partial<Insertable<MessagesTable>>[],
): Promise<number[]> {
  const channel = await ctx.db.selectFrom("channels").selectAll().orderBy("id").executeTakeFirstOrThrow();
  let seq = channel.last_seq;
  const ids: number[] = [];
  for (const message of messages) {
    const row = await ctx.db
      .insertInto("messages")
      .values({
        channel_id: channel.id,
        seq: ++seq,
        type: "text",
        content: "x",
        sender_type: "user",
        user_id: null,
        agent_id: null,
        sender_name: "ann",
        client_msg_id: null,
        client_key: null,
        client_hash: null,
        reply_to_id: null,
        mentions: null,
        sticker_id: null,
        packet_id: null,
        pinned_at: null,
        pinned_by: null,
        edited_at: null,
        deleted_at: null,
        created_at: ctx.clock.now(),
        ...message,
      })
      .returning("id")
      .executeTakeFirstOrThrow();
    ids.push(row.id);
  }
  await ctx.db.updateTable("channels").set({ last_seq: seq }).where("id", "=", channel.id).execute();
  return ids;
}
