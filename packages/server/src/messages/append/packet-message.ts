import type { Channel } from "../../channels/channel.ts";
import type { AppContext } from "../../context.ts";
import type { UserIdentity } from "../../http/identity.ts";
import { NOBODY } from "../mentions/resolve-mentions.ts";
import { appendWithin } from "./append.ts";

/**
 * Posts the message that shows a red packet and its greeting, in the transaction that creates the packet, so that
 * neither exists without the other. An `@` in a greeting mentions nobody. Returns the message id. Errors:
 * `channel_not_found`.
 */
export async function postPacketMessage(
  ctx: AppContext,
  {
    caller,
    channel,
    packetId,
    greeting,
  }: { caller: UserIdentity; channel: Channel; packetId: number; greeting: string },
): Promise<number> {
  const { row } = await appendWithin(ctx, {
    channel_id: channel.id,
    channelSlug: channel.slug,
    isDirect: channel.direct !== null,
    type: "red_packet",
    content: greeting,
    sender_type: "user",
    user_id: caller.userId,
    agent_id: null,
    sender_name: caller.username,
    client_msg_id: null,
    client_key: null,
    client_hash: null,
    reply_to_id: null,
    mentions: null,
    mentioned: NOBODY,
    sticker_id: null,
    sticker: null,
    packet_id: packetId,
    thread_root_id: null,
    also_in_channel: 0,
    files: null,
    expires_at: null,
    card: null,
    webhook_id: null,
    stream_id: null,
    expectedLastSeq: null,
  });
  return row.id;
}
