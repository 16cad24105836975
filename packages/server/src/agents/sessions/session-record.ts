import type { AgentSession, SessionState } from "@parley/protocol/agent-sessions";
import { isoTime } from "../../base/iso-time.ts";
import type { SessionWithCard } from "./sessions.store.ts";

/**
 * Returns a session with its derived state. An agent that is away is gone even if its card is open: an answer would reach
 * nobody now.
 */
export function sessionRecord(row: SessionWithCard): AgentSession {
  const [state, since] = stateOf(row);
  return {
    agent_id: row.agent_id,
    agent_name: row.agent_name,
    channel_id: row.channel_id,
    thread_root_id: row.thread_root_id,
    title: row.title,
    state,
    since: isoTime(since),
    interaction_id: row.card_id === null ? null : Number(row.card_id),
  };
}

function stateOf({ state, since, gone_at, card_id, asked_at }: SessionWithCard): [SessionState, number] {
  if (state !== "working") return [state, since];
  if (gone_at !== null) return ["gone", gone_at];
  return card_id === null ? [state, since] : ["waiting", asked_at ?? since];
}
