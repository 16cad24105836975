import type { Channel } from "../../channels/channel.ts";
import type { AppContext } from "../../context.ts";
import type { UserIdentity } from "../../http/identity.ts";
import { appendWithin } from "./append.ts";
import { messageOf } from "./draft.ts";

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
  const draft = messageOf({
    channel,
    type: "red_packet",
    content: greeting,
    sender_type: "user",
    user_id: caller.userId,
    sender_name: caller.username,
    packet_id: packetId,
  });
  const { row } = await appendWithin(ctx, draft);
  return row.id;
}
