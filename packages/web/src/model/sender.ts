import type { ChatMessage } from "@parley/protocol/models";
import type { ActorKind } from "@parley/protocol/values";

/** Returns a name for a line of text. A webhook's says that it is one: its admin has chosen the name. */
export const markedName = ({ kind, name }: { kind?: string; name: string }): string =>
  kind === "webhook" ? `${name} (webhook)` : name;

type Sent = Pick<ChatMessage, "sender_type" | "agent_name" | "username" | "webhook_name">;

/** Returns a sender's name for a text, where no badge shows that the sender is a webhook. */
export const senderInText = (message: Sent): string =>
  markedName({ kind: message.sender_type, name: senderOf(message) });

/** Returns the name of a message's sender, to be shown beside a badge. */
export const senderOf = (message: Pick<ChatMessage, "agent_name" | "username" | "webhook_name">): string =>
  message.agent_name ?? message.username ?? message.webhook_name ?? "system";

/** Returns the user or agent who sent a message; null for the system and for webhooks, which are nobody's account. */
export function actorOf(message: ChatMessage): { kind: ActorKind; name: string } | null {
  const { sender_type: kind } = message;
  return kind === "user" || kind === "agent" ? { kind, name: senderOf(message) } : null;
}
