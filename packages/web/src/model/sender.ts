import type { ChatMessage } from "@parley/protocol/models";

/** Returns the name of a message's sender. */
export const senderOf = (message: Pick<ChatMessage, "agent_name" | "username">): string =>
  message.agent_name ?? message.username ?? "system";
