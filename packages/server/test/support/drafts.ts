import type { AppContext } from "../../src/context.ts";
import type { Draft } from "../../src/messages/append/draft.ts";
import { fingerprint } from "../../src/messages/append/retries.ts";
import { NOBODY } from "../../src/messages/mentions/resolve-mentions.ts";

/** Returns a checked message of user 1, ready for the append queue. `client_key` makes it repeatable. */
export function draftOf(channelId: number, content: string, fields: Partial<Draft> = {}): Draft {
  const draft: Draft = {
    channel_id: channelId,
    channelSlug: `channel-${channelId}`,
    isDirect: false,
    type: "text",
    content,
    sender_type: "user",
    user_id: 1,
    agent_id: null,
    sender_name: "ann",
    client_msg_id: null,
    client_key: null,
    client_hash: null,
    reply_to_id: null,
    mentions: null,
    mentioned: NOBODY,
    sticker_id: null,
    sticker: null,
    packet_id: null,
    thread_root_id: null,
    also_in_channel: 0,
    files: null,
    expires_at: null,
    card: null,
    webhook_id: null,
    stream_id: null,
    expectedLastSeq: null,
    ...fields,
  };
  draft.client_hash = fingerprint(draft);
  return draft;
}

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
