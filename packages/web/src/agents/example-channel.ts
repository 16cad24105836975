import type { Channel } from "@parley/protocol/models";

/** True if every agent may send there without being added. */
const isOpenToAgents = (channel: Channel): boolean =>
  !channel.is_private &&
  channel.agent_policy === "allow" &&
  channel.post_policy === "everyone" &&
  channel.price === null;

/** Returns the channel for a new agent's first message: the one in view, or #general, or any. Null if there is none. */
export function exampleChannel(channels: readonly Channel[], inView: Channel | undefined): Channel | null {
  const open = channels.filter(isOpenToAgents);
  return (
    open.find(({ id }) => id === inView?.id) ??
    open.find(({ channel_slug }) => channel_slug === "general") ??
    open[0] ??
    null
  );
}
