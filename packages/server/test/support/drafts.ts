import type { AppContext } from "../../src/context.ts";
import { type Draft, type MessageParts, messageOf } from "../../src/messages/append/draft.ts";

/** Returns a checked message of user 1, ready for the append queue. `client_key` makes it repeatable. */
export const draftOf = (channelId: number, content: string, parts: Partial<MessageParts> = {}): Draft =>
  messageOf({
    channel: { id: channelId, slug: `channel-${channelId}`, direct: null },
    content,
    sender_type: "user",
    user_id: 1,
    sender_name: "ann",
    ...parts,
  });

/** Inserts empty channels and returns their ids; the last `deleted` of them are deleted. */
export async function emptyChannels(ctx: AppContext, count: number, deleted = 0): Promise<number[]> {
  const now = ctx.clock.now();
  const rows = Array.from({ length: count }, (_, at) => ({
    name: `empty ${at}`,
    slug: `empty-${at}`,
    is_private: 0,
    password_hash: null,
    owner_id: null,
    topic: null,
    description: null,
    pin_policy: "admins" as const,
    post_policy: "everyone" as const,
    agent_policy: "allow" as const,
    slow_mode_seconds: 0,
    price: null,
    last_seq: 0,
    last_message_at: now,
    created_at: now,
    updated_at: now,
    deleted_at: at >= count - deleted ? now : null,
    purged_at: null,
  }));
  const made = await ctx.db.insertInto("channels").values(rows).returning("id").execute();
  return made.map(({ id }) => id);
}
