import type { ChatMessage } from "@parley/sdk";
import type { Allowed } from "./options.ts";

/** `silence`: an agent that is not named gets no answer, because two agents that answer each other do not end. */
export type Verdict = "work" | "refuse" | "silence";

/** Decides whether the agent works for the sender of a message. */
export function verdictOn(allowed: Allowed, message: ChatMessage): Verdict {
  const { sender_type: kind, username, agent_name, authority } = message;
  if (kind === "agent") {
    const isNamed = agent_name !== null && allowed.agents.has(agent_name.toLowerCase());
    return isNamed && authority !== "self" ? "work" : "silence";
  }
  if (kind !== "user" || username === null) return "silence";
  const isOwner = authority === "owner";
  const isMember = isOwner || authority === "channel_admin" || authority === "member";
  const isAllowed =
    (allowed.owner && isOwner) || (allowed.members && isMember) || allowed.people.has(username.toLowerCase());
  return isAllowed ? "work" : "refuse";
}

const STOP = /^(?:stop|cancel)[.!]?$/i;

/** Returns whether a message only says to stop. Mentions do not count. */
export function asksToStop({ content, mentions }: Pick<ChatMessage, "content" | "mentions">): boolean {
  let rest = content;
  for (const { offset, length } of mentions.toReversed()) rest = rest.slice(0, offset) + rest.slice(offset + length);
  return STOP.test(rest.trim());
}
