import type { Channel, ChatMessage } from "@parley/protocol/models";
import { useLevel, useSelf } from "../../session/parley-context.ts";
import { useOwnerOf } from "./use-owner-of.ts";

/**
 * Returns whether the reader may stop what an agent does: who moderates the channel, who asked for it, and the agent's
 * owner. `asked`: the messages that are known to be the reason for it. The server decides.
 */
export function useMayStop(
  channel: Channel | undefined,
  agentName: string,
  asked: readonly (ChatMessage | null)[],
): boolean {
  const self = useSelf();
  const level = useLevel();
  const role = channel?.my_role;
  const isDirect = channel?.is_direct === true;
  const isModerator = !isDirect && (role === "owner" || role === "admin" || level > 0);
  const hasAsked = asked.some((message) => message?.sender_type === "user" && message.username === self);
  const mayAlready = isModerator || isDirect || hasAsked;
  const owner = useOwnerOf(self === null || mayAlready ? null : agentName);
  return self !== null && (mayAlready || owner === self);
}

/** Returns whether a message calls an agent. */
export const calls = ({ mentions }: ChatMessage, agentName: string): boolean =>
  mentions.some(({ type, name, quoted }) => type === "agent" && name === agentName && quoted !== true);
