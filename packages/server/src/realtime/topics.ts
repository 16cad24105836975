/** Names of pub/sub topics. Short, because each socket's subscriptions hold them. */

/** All events of a channel. */
export const channelTopic = (channelId: number): string => `c:${channelId}`;
/** Events for one user on all sockets: mentions, ended sessions. */
export const userTopic = (userId: number): string => `u:${userId}`;
/** Events for one agent: mentions, for its streams and long polls. */
export const agentTopic = (agentId: number): string => `a:${agentId}`;
/** Control messages for all nodes: ended sessions, changed rights (see control.ts). No socket subscribes to it. */
export const CONTROL_TOPIC = "control";
/** Confirmations for one node: which control messages another node has handled. */
export const confirmationTopic = (nodeId: string): string => `n:${nodeId}`;
/** True for topics of `publishEverywhere`: nodes subscribe to them on every server of the bus. */
export const isEverywhere = (topic: string): boolean => topic === CONTROL_TOPIC || topic.startsWith("n:");
