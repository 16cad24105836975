import { isPlatformAgent, PLATFORM_AGENT } from "../../accounts/names/agent-names.ts";
import { LoadingCache } from "../../base/loading-cache.ts";
import { loggedInUnder } from "../../channels/members/agents-online.ts";
import { type AppContext, perServer } from "../../context.ts";
import { hearChannel, onHeard, type Speaker } from "../loop-guard/heard-channels.ts";
import { lastSpeaker } from "../loop-guard/loop-guard.store.ts";

const CHANNELS_KEPT = 10_000;
/** How many events of the channel are searched for the last speaker. Bounds the one query. */
const LOOK_BACK = 10_000;

/** The last agent to speak as `PlatformAgent`, by channel; null: none did. */
const speakers = perServer((ctx) => {
  const byChannel = new LoadingCache<number, number | null>(CHANNELS_KEPT);
  onHeard(ctx, {
    note: (channelId, speaker) => speaker.kind === "agent" && note(byChannel, channelId, speaker),
    forget: (channelId) => byChannel.forget(channelId),
  });
  return byChannel;
});

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
  const hearing = hearChannel(ctx, channelId);
  if (known !== undefined && hearing === undefined) return known === null ? [] : [known];
  return readSpeaker(ctx, channelId, hearing);
}

async function readSpeaker(
  ctx: AppContext,
  channelId: number,
  hearing: Promise<void> | undefined,
): Promise<readonly number[]> {
  if (hearing !== undefined) await hearing;
  const agentId = await lastSpeaker(ctx.db, channelId, PLATFORM_AGENT, LOOK_BACK);
  // A message that was sent during the read is newer than its result.
  if (speakers(ctx).get(channelId) === undefined) speakers(ctx).set(channelId, agentId);
  return agentId === null ? [] : [agentId];
}

/** Called on a lone server for every committed message of an agent. */
export function notePlatformSpeaker(ctx: AppContext, channelId: number, speaker: NamedSpeaker): void {
  note(speakers(ctx), channelId, speaker);
}

type NamedSpeaker = Pick<Speaker, "id" | "name">;

function note(byChannel: LoadingCache<number, number | null>, channelId: number, { id, name }: NamedSpeaker): void {
  // Without a name the next lookup queries the database.
  if (name === undefined) byChannel.forget(channelId);
  else if (isPlatformAgent(name)) byChannel.set(channelId, id);
}
