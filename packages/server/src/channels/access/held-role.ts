import type { AppContext } from "../../context.ts";
import { fail } from "../../errors.ts";
import type { Identity, UserIdentity } from "../../http/identity.ts";
import type { Channel, ChannelRole } from "../channel.ts";
import { roleIn } from "./access.ts";

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
