import { type AppContext, perServer } from "../context.ts";
import { isPlatformAgent, PLATFORM_AGENT } from "./agent-names.ts";
import { loggedInUnder } from "./agent-presence.ts";
import { lastSpeaker } from "./loop-guard.store.ts";

const CHANNELS_KEPT = 10_000;
/** How far back, in events of the channel, somebody counts as having spoken there. Bounds the one query. */
const LOOK_BACK = 10_000;

/** Who spoke last as `PlatformAgent`, by channel; null: nobody did. */
const speakers = perServer(() => new Map<number, number | null>());

/**
 * Whom `@PlatformAgent` means in a channel: the agents logged in there under that name; when there are none, the one that spoke
 * last under it (protocol §5). The sender may be among them. Sync once the channel is known.
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
    if (!speakers(ctx).has(channelId)) remember(ctx, channelId, agentId);
    return agentId === null ? [] : [agentId];
  });
}

/** Called for every committed message of an agent. */
export function notePlatformSpeaker(ctx: AppContext, channelId: number, speaker: { id: number; name?: string }): void {
  // Without a name the next look asks the database.
  if (speaker.name === undefined) speakers(ctx).delete(channelId);
  else if (isPlatformAgent(speaker.name)) remember(ctx, channelId, speaker.id);
}

function remember(ctx: AppContext, channelId: number, agentId: number | null): void {
  const known = speakers(ctx);
  known.delete(channelId);
  if (known.size >= CHANNELS_KEPT) for (const oldest of known.keys()) if (known.delete(oldest)) break;
  known.set(channelId, agentId);
}
