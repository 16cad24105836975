import type { Identity } from "../http/identity.ts";
import { ADMINISTRATOR, MODERATOR } from "./access.ts";
import type { ChannelRole } from "./channel-cache.ts";

const RANKS: Readonly<Record<ChannelRole, number>> = { member: 1, admin: 2, owner: 4 };

/** A moderator of the site stands above a channel's admins and below its owner, an administrator above all, an owner of the site above him. */
function rankOf(role: ChannelRole | null, level: number): number {
  const ofLevel = level > ADMINISTRATOR ? 6 : level === ADMINISTRATOR ? 5 : level === MODERATOR ? 3 : 0;
  return Math.max(ofLevel, role === null ? 0 : RANKS[role]);
}

/**
 * May this caller, who may moderate the channel, do so to someone of that role, and of that level on the site? Only to those below him:
 * admins do not mute or kick one another, nobody in the channel does it to its owner, and its owner not to the site's administrators.
 */
export function mayActOn(
  caller: Identity,
  callersRole: ChannelRole | null,
  role: ChannelRole | null,
  level: number | null = null,
): boolean {
  const callersLevel = caller.kind === "user" ? (caller.adminLevel ?? 0) : 0;
  return rankOf(callersRole, callersLevel) > rankOf(role, level ?? 0);
}
