import type { Identity } from "../http/identity.ts";
import { ADMINISTRATOR, hasLevel, MODERATOR } from "./access.ts";
import type { ChannelRole } from "./channel-cache.ts";

const RANKS: Readonly<Record<ChannelRole, number>> = { member: 1, admin: 2, owner: 4 };

/** A moderator of the site stands above a channel's admins and below its owner, an administrator above all. */
function rankOf(caller: Identity, role: ChannelRole | null): number {
  const level = hasLevel(caller, ADMINISTRATOR) ? 5 : hasLevel(caller, MODERATOR) ? 3 : 0;
  return Math.max(level, role === null ? 0 : RANKS[role]);
}

/**
 * May this caller, who may moderate the channel, do so to someone of that role? Only to those below him: admins do not mute or kick one
 * another, and nobody in the channel does it to its owner.
 */
export function mayActOn(caller: Identity, callersRole: ChannelRole | null, role: ChannelRole | null): boolean {
  return rankOf(caller, callersRole) > (role === null ? 0 : RANKS[role]);
}
