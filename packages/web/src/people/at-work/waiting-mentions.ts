import type { AgentSession } from "@parley/protocol/agent-sessions";
import type { ChatMessage } from "@parley/protocol/models";
import type { Sessions } from "./session-list.ts";
import { calls } from "./use-may-stop.ts";

/** Older mentions are no longer expected to be answered next. */
const RECENT_MS = 60 * 60_000;

/** The message that begins the thread of a message. */
const placeOf = ({ id, thread_root_id }: ChatMessage): number => thread_root_id ?? id;

/**
 * Returns the open sessions, one an agent, because of which a mention waits: a person has mentioned the agent elsewhere, and
 * the agent has neither begun to work there nor said anything since. Messages after `settledId` are too new to say.
 */
export function busySessions(sessions: Sessions, messages: readonly ChatMessage[], settledId: number): AgentSession[] {
  const from = Date.now() - RECENT_MS;
  const busy = new Map<number, AgentSession>();
  for (const session of sessions) {
    const { agent_id, agent_name, thread_root_id, state } = session;
    if ((state !== "working" && state !== "waiting") || busy.has(agent_id)) continue;
    const places = new Set(sessions.filter((each) => each.agent_id === agent_id).map((each) => each.thread_root_id));
    const spoke = messages.findLast((message) => message.agent_id === agent_id)?.seq ?? 0;
    const isWaiting = (message: ChatMessage) =>
      message.id <= settledId &&
      message.sender_type === "user" &&
      !message.is_deleted &&
      message.seq > spoke &&
      placeOf(message) !== thread_root_id &&
      !places.has(placeOf(message)) &&
      calls(message, agent_name) &&
      !(message.thread?.participants ?? []).some(({ name, kind }) => kind === "agent" && name === agent_name) &&
      Date.parse(message.created_at) > from;
    if (messages.some(isWaiting)) busy.set(agent_id, session);
  }
  return [...busy.values()];
}
