import type { AgentClient, MessageItem } from "@parley/sdk";
import type { Place } from "./place.ts";

/** What people see of a session in the list of agents at work. */
export type SessionState = "working" | "done" | "failed";

/** Tells the server what the agent does in a place (protocol §16.4). The work goes on if that fails. */
export async function reportSession(
  _client: AgentClient,
  _place: Place,
  _item: MessageItem,
  _state: SessionState,
): Promise<void> {}
