import { PLATFORM_AGENT } from "../accounts/names/agent-names.ts";
import type { AppContext } from "../context.ts";
import { nameInChannel } from "./agent-presence.ts";
import { firstNameOf } from "./agents.store.ts";

/**
 * Returns the name to show for an agent that acts without giving one: the name it is logged in under in that channel,
 * else the first of its own names, else `PlatformAgent`.
 */
export async function speakingName(ctx: AppContext, channelId: number, agentId: number): Promise<string> {
  return nameInChannel(ctx, channelId, agentId) ?? (await firstNameOf(ctx.db, agentId)) ?? PLATFORM_AGENT;
}
