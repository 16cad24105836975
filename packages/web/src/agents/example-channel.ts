import type { Channel } from "@parley/protocol/models";

/** True if every agent may send there without being added. */
const isOpenToAgents = (channel: Channel): boolean =>
  !channel.is_private &&
  channel.agent_policy === "allow" &&
  channel.post_policy === "everyone" &&
  channel.price === null;

/** The channel of an agent's first message. */
export interface Example {
  slug: string;
  /** The channel to which the agent must be added before; null: none. */
  addTo: number | null;
}

/**
 * Returns the channel for a new agent's first message: the one in view, or #general, or any that is open to agents. Null
 * if there is none. Of a key that is limited to channels it is one of them, and the agent may have to be added to it.
 */
export function exampleChannel(
  channels: readonly Channel[],
  inView: Channel | undefined,
  limit: readonly string[] | null = null,
): Example | null {
  const within = limit === null ? channels : channels.filter(({ channel_slug }) => limit.includes(channel_slug));
  const open = within.filter(isOpenToAgents);
  const found =
    open.find(({ id }) => id === inView?.id) ?? open.find(({ channel_slug }) => channel_slug === "general") ?? open[0];
  if (found !== undefined) return { slug: found.channel_slug, addTo: null };
  if (limit === null) return null;
  const closed = within.find(({ my_role }) => my_role === "owner" || my_role === "admin") ?? within[0];
  // The user may not see the channels of an agent that belongs to somebody else.
  if (closed === undefined) return limit[0] === undefined ? null : { slug: limit[0], addTo: null };
  return { slug: closed.channel_slug, addTo: closed.id };
}
