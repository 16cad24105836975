import { hasLevel, MODERATOR, roleIn } from "../channels/access.ts";
import type { Channel } from "../channels/channel-cache.ts";
import { type AppContext, perServer } from "../context.ts";
import { fail } from "../errors.ts";
import type { AgentIdentity, UserIdentity } from "../http/identity.ts";

const KEPT_MAX = 50_000;

/** When each sender may post again in a slow channel, monotonic ms. In memory: a restart forgives at most one wait. */
const nextAllowed = perServer(() => new Map<string, number>());

/** Slow mode: one message per `slow_mode_seconds` and sender; the channel's admins and moderators are exempt (contract, section 3). */
export async function checkSlowMode(
  ctx: AppContext,
  caller: UserIdentity | AgentIdentity,
  channel: Channel,
): Promise<void> {
  const role = await roleIn(ctx, caller, channel);
  if (role === "owner" || role === "admin" || hasLevel(caller, MODERATOR)) return;
  const kept = nextAllowed(ctx);
  const key = `${channel.id}:${caller.kind === "user" ? `u${caller.userId}` : `a${caller.agentId}`}`;
  const now = ctx.clock.monotonic();
  const at = kept.get(key) ?? 0;
  if (at > now) throw fail("slow_mode", { retryAfter: (at - now) / 1000 });
  if (kept.size > KEPT_MAX) for (const [other, until] of kept) if (until <= now) kept.delete(other);
  kept.set(key, now + channel.slowModeSeconds * 1000);
}
