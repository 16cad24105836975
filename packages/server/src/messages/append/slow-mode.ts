import { roleIn } from "../../channels/access/access.ts";
import type { Channel } from "../../channels/channel.ts";
import { type AppContext, perServer } from "../../context.ts";
import { fail } from "../../errors.ts";
import type { AgentIdentity, Identity, UserIdentity } from "../../http/identity.ts";
import { hasLevel, MODERATOR } from "../../http/site-levels.ts";
import { findByClientKeys } from "../messages.store.ts";
import { takeSharedTurn } from "./slow-mode-turns.ts";

const KEPT_MAX = 50_000;

/**
 * When each sender may post again in a slow-mode channel, monotonic ms. In memory only: a restart skips at most one
 * wait. The nodes of a cluster share the turns beside it (slow-mode-turns.ts). Not an LRU cache, because evicting a
 * sender would end their wait.
 */
const nextAllowed = perServer(() => new Map<string, number>());

interface Sending {
  caller: UserIdentity | AgentIdentity;
  channel: Channel;
  /** The retry key; null if the send has none, or if it was already checked for a repeat. */
  clientKey: string | null;
  /** The messages that are sent at once; each takes a slot. */
  messages?: number;
}

/**
 * Enforces slow mode: one message per sender and `slow_mode_seconds`; the channel's admins and moderators are exempt
 * (protocol §3). The slot is taken before the message is written, so that of two concurrent sends one is refused, and
 * returned if none was written. A retry needs no slot: it gets the first message as its answer. Errors: `slow_mode`,
 * those of `post`. A sender who loses the exemption before the message is written waits for a turn, too.
 */
export async function inTurn<T extends { deduplicated: boolean }>(
  ctx: AppContext,
  { caller, channel, clientKey, messages = 1 }: Sending,
  post: () => Promise<T>,
): Promise<T> {
  if (await isExempt(ctx, caller, channel)) {
    ctx.act?.remember(async (ctx, now) => {
      if (!(await isExempt(ctx, now, channel))) throw fail("slow_mode", { retryAfter: channel.slow_mode_seconds });
    }, channel.id);
    return post();
  }
  const kept = nextAllowed(ctx);
  const key = `${channel.id}:${caller.key}`;
  const now = ctx.clock.monotonic();
  const at = kept.get(key) ?? 0;
  const refused = async (waitMs: number): Promise<T> => {
    if (clientKey !== null && (await findByClientKeys(ctx.db, [clientKey])).length > 0) return post();
    throw fail("slow_mode", { retryAfter: waitMs / 1000 });
  };
  if (at > now) return refused(at - now);
  const turnMs = channel.slow_mode_seconds * 1000 * messages;
  const shared = ctx.cluster === null ? null : await takeSharedTurn(ctx, key, turnMs);
  // Another node has the turn, or another send has taken it here meanwhile.
  const wait = Math.max(shared?.waitMs ?? 0, (kept.get(key) ?? 0) - now);
  if (wait > 0) {
    shared?.giveBack();
    return await refused(wait);
  }
  if (kept.size > KEPT_MAX) for (const [other, until] of kept) if (until <= now) kept.delete(other);
  const turn = now + turnMs;
  kept.set(key, turn);
  const giveBack = () => {
    if (kept.get(key) === turn) kept.delete(key);
    shared?.giveBack();
  };
  try {
    const posted = await post();
    if (posted.deduplicated) giveBack();
    return posted;
  } catch (error) {
    giveBack();
    throw error;
  }
}

async function isExempt(ctx: AppContext, caller: Identity, channel: Channel): Promise<boolean> {
  const role = await roleIn(ctx, caller, channel);
  return role === "owner" || role === "admin" || hasLevel(caller, MODERATOR);
}
