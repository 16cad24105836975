import type { ChannelFacts, ChannelRecord } from "@parley/protocol/records";
import type { Channel, ChannelRole } from "./channel-cache.ts";

/** What a record shows besides the channel's settings. */
export interface ChannelCounts {
  memberCount: number;
  onlineCount: number;
  lastSeq: number;
}

/** The channel as everybody in it sees it; the seed's four fields first (contract, section 3). */
export function channelFacts(channel: Channel, counts: ChannelCounts): ChannelFacts {
  return {
    id: channel.id,
    name: channel.name,
    is_private: channel.isPrivate,
    owner_username: channel.ownerUsername,
    channel_slug: channel.slug,
    has_password: channel.hasPassword,
    topic: channel.topic,
    description: channel.description,
    member_count: counts.memberCount,
    online_count: counts.onlineCount,
    last_seq: counts.lastSeq,
    pin_policy: channel.pinPolicy,
    post_policy: channel.postPolicy,
    agent_policy: channel.agentPolicy,
    slow_mode_seconds: channel.slowModeSeconds,
    price: channel.price,
    created_at: new Date(channel.createdAt).toISOString(),
    updated_at: new Date(channel.updatedAt).toISOString(),
  };
}

/** The channel as one caller sees it. */
export function recordOf(channel: Channel, counts: ChannelCounts, myRole: ChannelRole | null): ChannelRecord {
  return { ...channelFacts(channel, counts), my_role: myRole };
}
