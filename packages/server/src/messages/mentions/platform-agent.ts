import { isPlatformAgent, PLATFORM_AGENT } from "../../accounts/names/agent-names.ts";
import { LoadingCache } from "../../base/loading-cache.ts";
import { loggedInUnder } from "../../channels/members/agents-online.ts";
import { type AppContext, perServer } from "../../context.ts";
import { lastSpeaker } from "../loop-guard/loop-guard.store.ts";

const CHANNELS_KEPT = 10_000;
/** How many events of the channel are searched for the last speaker. Bounds the one query. */
const LOOK_BACK = 10_000;

/** The last agent to speak as `PlatformAgent`, by channel; null: none did. */
const speakers = perServer(() => new LoadingCache<number, number | null>(CHANNELS_KEPT));

/**
 * Returns the agents that `@PlatformAgent` means in a channel: those logged in there under that name, or, if there are
 * none, the one that last spoke under it (protocol §5). The sender may be among them. Sync once the channel is known.
 */
export function platformAgentRecipients(
  ctx: AppContext,
  channelId: number,
): readonly number[] | Promise<readonly number[]> {
  const present = loggedInUnder(ctx, channelId, PLATFORM_AGENT);
  if (present.length > 0) return present;
  const known = speakers(ctx).get(channelId);
  if (known !== undefined) return known === null ? [] : [known];
  return lastSpeaker(ctx.db, channelId, PLATFORM_AGENT, LOOK_BACK).then((agentId) => {
    // A message that was sent during the read is newer than its result.
    if (speakers(ctx).get(channelId) === undefined) speakers(ctx).set(channelId, agentId);
    return agentId === null ? [] : [agentId];
  });
}

/** Called for every committed message of an agent. */
export function notePlatformSpeaker(ctx: AppContext, channelId: number, speaker: { id: number; name?: string }): void {
  // Without a name the next lookup queries the database.
  if (speaker.name === undefined) speakers(ctx).forget(channelId);
  else if (isPlatformAgent(speaker.name)) speakers(ctx).set(channelId, speaker.id);
}
