import { nameKey } from "../../accounts/names/names.ts";
import { type Channel, isOpen } from "../../channels/channel.ts";
import { findChannel } from "../../channels/channel-cache.ts";
import type { AppContext } from "../../context.ts";
import type { Span } from "../../event-log/span.ts";
import { type Asker, type Askers, askersNow } from "./askers.ts";
import { agentsIn, type PlaceRow } from "./kind-spans.store.ts";

/** The agents that are in channels, and what is asked there. */
export interface Scene {
  readonly askers: Askers;
  /** Channels that exist and let agents hear what is said. */
  readonly channels: ReadonlyMap<number, Channel>;
  readonly places: Places;
}

/** Where agents are: those that were added are in a channel under all their names. */
class Places {
  readonly #added = new Set<string>();
  readonly #loggedIn = new Set<string>();

  constructor(rows: readonly PlaceRow[]) {
    for (const { channel_id, agent_id, agent_name } of rows)
      if (agent_name === null) this.#added.add(`${channel_id} ${agent_id}`);
      else this.#loggedIn.add(`${channel_id} ${agent_id} ${nameKey(agent_name)}`);
  }

  isAdded(channelId: number, { agentId }: Asker): boolean {
    return this.#added.has(`${channelId} ${agentId}`);
  }

  has(channelId: number, asker: Asker): boolean {
    const { agentId, agentName } = asker;
    return this.isAdded(channelId, asker) || this.#loggedIn.has(`${channelId} ${agentId} ${nameKey(agentName)}`);
  }
}

/** Returns what decides about the spans; null if nobody asked. */
export async function sceneOf(ctx: AppContext, spans: readonly Span[]): Promise<Scene | null> {
  const all = await askersNow(ctx);
  if (all.isEmpty) return null;
  const channels = new Map<number, Channel>();
  for (const { channelId } of spans) {
    const channel = await findChannel(ctx, { id: channelId });
    if (channel !== null && channel.agent_policy !== "deny") channels.set(channelId, channel);
  }
  return { askers: all, channels, places: new Places(await agentsIn(ctx.db, [...channels.keys()])) };
}

/** True if an agent may read a channel. Only those that were added may read one that is not open. */
export function mayRead({ channels, places }: Scene, channelId: number, asker: Asker): boolean {
  const channel = channels.get(channelId);
  return channel !== undefined && (isOpen(channel) || places.isAdded(channelId, asker));
}
