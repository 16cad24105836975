/** Names of pub/sub topics. Short, because each socket's subscriptions hold them. */

/** Everything that happens in a channel. */
export const channelTopic = (channelId: number): string => `c:${channelId}`;
/** What concerns one user on all sockets: mentions, ends of sessions. */
export const userTopic = (userId: number): string => `u:${userId}`;
/** What concerns one agent: mentions, for its streams and long polls. */
export const agentTopic = (agentId: number): string => `a:${agentId}`;
/** What all nodes must hear: ends of sessions, changed rights (see control.ts). No socket subscribes to it. */
export const CONTROL_TOPIC = "control";
