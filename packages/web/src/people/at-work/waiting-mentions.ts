import type { AgentSession } from "@parley/protocol/agent-sessions";
import type { ChatMessage } from "@parley/protocol/models";
import type { Sessions } from "./session-list.ts";

/** Older mentions are no longer expected to be answered next. */
const RECENT_MS = 60 * 60_000;

/** A message that mentions an agent, which has not answered it. */
export interface WaitingMention {
  agentName: string;
  message: ChatMessage;
}

/** The message that begins the thread of a message. */
const placeOf = ({ id, thread_root_id }: ChatMessage): number => thread_root_id ?? id;

/**
 * Returns the newest message to each agent that a person has written and after which the agent has said nothing. Messages
 * after `settledId` are too new to say.
 */
export function waitingMentions(messages: readonly ChatMessage[], settledId: number): WaitingMention[] {
  const from = Date.now() - RECENT_MS;
  const waiting = new Map<string, WaitingMention>();
  for (const message of messages) {
    const { id, sender_type, agent_name, is_deleted, created_at, mentions, thread } = message;
    if (agent_name !== null) waiting.delete(agent_name);
    if (sender_type !== "user" || is_deleted || id > settledId || Date.parse(created_at) < from) continue;
    const hasReplied = (agent: string) =>
      thread?.participants.some(({ kind, name }) => kind === "agent" && name === agent) === true;
    for (const { type, name, quoted } of mentions)
      if (type === "agent" && quoted !== true && !hasReplied(name)) waiting.set(name, { agentName: name, message });
  }
  return [...waiting.values()];
}

/** True if an agent has a session where a message waits. */
export const hasBegun = (sessions: Sessions, { agentName, message }: WaitingMention): boolean =>
  sessions.some((each) => each.agent_name === agentName && each.thread_root_id === placeOf(message));

/** Returns what an agent works on, that which changed last. */
export const workOf = (sessions: Sessions, { agentName }: WaitingMention): AgentSession | undefined =>
  sessions.find(({ agent_name, state }) => agent_name === agentName && (state === "working" || state === "waiting"));
