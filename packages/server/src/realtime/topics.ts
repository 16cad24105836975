/** Names of pub/sub topics. Short, because each socket's subscriptions hold them. */

/** All events of a channel. */
export const channelTopic = (channelId: number): string => `c:${channelId}`;
/** The same for sockets with compact frames (protocol §8). Only sockets subscribe to it: brokers carry the full form. */
export const compactChannelTopic = (channelId: number): string => compactTopic(channelTopic(channelId));
/** The topic of the sockets with compact frames that belongs to a channel's topic. */
export const compactTopic = (topic: string): string => `k${topic}`;
/** True for the topics of channels, which have two forms. */
export const isChannelTopic = (topic: string): boolean => topic.startsWith("c:");
/** The channel of such a topic. */
export const channelOf = (topic: string): number => Number(topic.slice(2));
/** Events for one user on all sockets: mentions, ended sessions. */
export const userTopic = (userId: number): string => `u:${userId}`;
/** Events for one agent: mentions, for its streams and long polls. */
export const agentTopic = (agentId: number): string => `a:${agentId}`;
/** Events for all sockets, which the gateway of each node passes on. No socket subscribes to it. */
export const EVERYBODY_TOPIC = "everybody";
/** Control messages for all nodes: ended sessions, changed rights (see control.ts). No socket subscribes to it. */
export const CONTROL_TOPIC = "control";
/** Confirmations for one node: which control messages another node has handled. */
export const confirmationTopic = (nodeId: string): string => `n:${nodeId}`;
/** True for topics of `publishEverywhere`: nodes subscribe to them on every server of the bus. */
export const isEverywhere = (topic: string): boolean => topic === CONTROL_TOPIC || topic.startsWith("n:");
