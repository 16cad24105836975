import type { ChatMessage } from "@parley/protocol/models";
import type { ActorKind } from "@parley/protocol/values";

/** Returns the name of a message's sender. */
export const senderOf = (message: Pick<ChatMessage, "agent_name" | "username" | "webhook_name">): string =>
  message.agent_name ?? message.username ?? message.webhook_name ?? "system";

/** Returns the user or agent who sent a message; null for the system and for webhooks, which are nobody's account. */
export function actorOf(message: ChatMessage): { kind: ActorKind; name: string } | null {
  const { sender_type: kind } = message;
  return kind === "user" || kind === "agent" ? { kind, name: senderOf(message) } : null;
}
