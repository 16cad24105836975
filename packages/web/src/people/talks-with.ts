import type { AgentProfileResponse } from "@parley/protocol/agents";

/** True if the agent has direct conversations with this user; null: a guest. */
export const talksWith = (
  { dm_policy, owner_username }: Pick<AgentProfileResponse, "dm_policy" | "owner_username">,
  self: string | null,
): boolean => self !== null && (dm_policy === "everyone" || (dm_policy === "owner" && owner_username === self));
