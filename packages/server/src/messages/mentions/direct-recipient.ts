import type { Channel } from "../../channels/channel.ts";

/** Returns the agent of a direct conversation, with its name there; null if the conversation is between two users. */
export function agentOfDirect(_channel: Channel): { agentId: number; agentName: string } | null {
  return null;
}
