import type { Channel, DirectAgent } from "../../channels/channel.ts";

/** Returns the agent of a direct conversation, with its name there; null if the conversation is between two users. */
export function agentOfDirect({ directAgent }: Channel): DirectAgent | null {
  return directAgent;
}
