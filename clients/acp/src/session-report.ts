import type { AgentClient, MessageItem, SetSessionBody } from "@parley/sdk";
import { oneLine } from "../../shared/src/clean-text.ts";
import type { Place } from "./place.ts";

/** What people see of a session in the list of agents at work. */
export type SessionState = SetSessionBody["state"];

const TITLE_MAX = 80;

/**
 * Tells the server what the agent does in a place (protocol §16.4). The title is the beginning of the message. In a direct
 * conversation, which is no thread, each message has its own entry.
 */
export async function reportSession(
  client: AgentClient,
  { channel, rootId }: Place,
  { chat_message: { id, content } }: MessageItem,
  state: SessionState,
): Promise<void> {
  const title = oneLine(content.replaceAll(`@${client.name}`, ""), TITLE_MAX);
  await client.calls.setSession(
    { channel_slug: channel, thread_root_id: rootId ?? id, agent_name: client.name, title, state },
    { maxRetries: 10 },
  );
}
