import type { AppContext } from "../../context.ts";
import { fail } from "../../errors.ts";
import type { Identity, UserIdentity } from "../../http/identity.ts";
import { ADMINISTRATOR, MODERATOR } from "../../http/site-levels.ts";
import type { Channel, ChannelRole } from "../channel.ts";
import { roleIn } from "./access.ts";

const RANKS: Readonly<Record<ChannelRole, number>> = { member: 1, admin: 2, owner: 4 };

/**
 * Returns the rank. A site moderator ranks above a channel's admins and below its owner; an administrator above both,
 * and a site owner above administrators.
 */
function rankOf(role: ChannelRole | null, level: number): number {
  const ofLevel = level > ADMINISTRATOR ? 6 : level === ADMINISTRATOR ? 5 : level === MODERATOR ? 3 : 0;
  return Math.max(ofLevel, role === null ? 0 : RANKS[role]);
}

/**
 * True if this caller, who may moderate the channel, may moderate a target with that role and site level. Targets must
 * rank below the caller: admins cannot mute or kick each other, no member can act on the channel's owner, and the owner
 * cannot act on site administrators.
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

/**
 * Returns the caller's role in the channel, on which their rank above others depends. The act ends with `forbidden` if
 * the role changes or the caller's site level falls before it is stored.
 */
export async function heldRole(ctx: AppContext, caller: UserIdentity, channel: Channel): Promise<ChannelRole | null> {
  const role = await roleIn(ctx, caller, channel);
  ctx.act?.remember(async (ctx, now) => {
    const hasFallen = levelOf(now) < levelOf(caller);
    if (hasFallen || (await roleIn(ctx, now, channel)) !== role) throw fail("forbidden");
  }, channel.id);
  return role;
}

const levelOf = (caller: Identity): number => (caller.kind === "user" ? (caller.adminLevel ?? 0) : 0);
