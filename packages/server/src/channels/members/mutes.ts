import { isoTime } from "../../base/iso-time.ts";
import { type AppContext, perServer } from "../../context.ts";
import { fail } from "../../errors.ts";
import type { AgentIdentity, MemberKey, UserIdentity } from "../../http/identity.ts";
import { rowOf } from "../../realtime/control/row-cache.ts";
import { placeCache } from "../channel-cache.ts";
import { findKeptMute } from "./kept-mutes.store.ts";

const MUTES_KEPT = 50_000;

/** The mutes of non-members. Leaving stores a mute and changes the membership. */
const mutes = perServer((ctx) => placeCache<number | null>(ctx, MUTES_KEPT));

/** Rejects a muted sender, for edits too. Errors: `muted`. */
export function assertNotMuted(ctx: AppContext, mutedUntil: number | null): void {
  if (mutedUntil === null || mutedUntil <= ctx.clock.now()) return;
  throw fail("muted", { details: { muted_until: isoTime(mutedUntil) } });
}

/** Rejects a non-member who was muted when they left or were removed. Errors: `muted`. */
export async function assertNotMutedBefore(
  ctx: AppContext,
  caller: UserIdentity | AgentIdentity,
  channelId: number,
): Promise<void> {
  assertNotMuted(ctx, await keptMute(ctx, channelId, caller.key));
}

const keptMute = (ctx: AppContext, channelId: number, member: MemberKey): number | null | Promise<number | null> =>
  rowOf(ctx, mutes(ctx), `${channelId}:${member}`, (db) => findKeptMute(db, channelId, member));
