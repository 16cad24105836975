import type { Insertable } from "kysely";
import type { AppContext } from "../../src/context.ts";
import type { MessagesTable } from "../../src/db/tables/messages.ts";

const AT_ONCE = 500;

/** Inserts messages directly into the first channel, as if they were sent at these times. Returns their ids. */
export async function putMessages(
  ctx: AppContext,
  messages: readonly Partial<Insertable<MessagesTable>>[],
): Promise<number[]> {
  const channel = await ctx.db.selectFrom("channels").selectAll().orderBy("id").executeTakeFirstOrThrow();
  let seq = channel.last_seq;
  const rows = messages.map((message) => ({
    channel_id: channel.id,
    seq: ++seq,
    type: "text" as const,
    content: "x",
    sender_type: "user" as const,
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
  }));
  const ids = new Map<string, number>();
  // Each statement waits for the disk.
  for (let from = 0; from < rows.length; from += AT_ONCE) {
    const part = rows.slice(from, from + AT_ONCE);
    const made = ctx.db.insertInto("messages").values(part).returning(["id", "channel_id", "seq"]);
    for (const row of await made.execute()) ids.set(`${row.channel_id} ${row.seq}`, row.id);
  }
  await ctx.db.updateTable("channels").set({ last_seq: seq }).where("id", "=", channel.id).execute();
  return rows.map((row) => ids.get(`${row.channel_id} ${row.seq}`) ?? 0);
}
