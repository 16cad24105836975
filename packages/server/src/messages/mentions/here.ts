import { RATES } from "@parley/protocol/limits";
import { existingChannel, roleIn } from "../../channels/access/access.ts";
import type { AppContext } from "../../context.ts";
import { fail } from "../../errors.ts";
import type { RecordMention } from "../../event-log/message-json.ts";
import { decide } from "../../http/acts/act.ts";
import type { AgentIdentity, UserIdentity } from "../../http/identity.ts";
import { hasLevel, MODERATOR } from "../../http/site-levels.ts";
import type { RateDecision } from "../../rate-limit/rate-limiter.ts";
import { findByClientKeys } from "../messages.store.ts";

/** True for a text that calls everybody who is online. */
export const callsHere = (mentions: readonly RecordMention[]): boolean =>
  mentions.some(({ type, quoted }) => type === "here" && quoted !== true);

/**
 * Checks that the caller may call everybody who is online in the channel (protocol §5), again when the message is stored.
 * Errors: `here_not_allowed`.
 */
export const assertMayCall = (
  ctx: AppContext,
  caller: UserIdentity | AgentIdentity,
  { id }: { id: number },
): Promise<void> => decide(ctx, caller, (ctx, caller) => checkMayCall(ctx, caller, id), id);

async function checkMayCall(ctx: AppContext, caller: UserIdentity | AgentIdentity, id: number): Promise<void> {
  const channel = await existingChannel(ctx, { id });
  if (channel.here_by === "members" || (caller.kind === "user" && hasLevel(caller, MODERATOR))) return;
  const role = await roleIn(ctx, caller, channel);
  if (role !== "owner" && role !== "admin") throw fail("here_not_allowed");
}

/**
 * Takes from what the sender may call in a minute, and the channel in an hour. A message that is stored already, and is
 * sent again, takes nothing. Errors: `here_rate_limited`.
 */
export async function takeCall(
  ctx: AppContext,
  { key }: Pick<UserIdentity | AgentIdentity, "key">,
  { channel_id, client_key }: { channel_id: number; client_key: string | null },
): Promise<void> {
  if (client_key !== null && (await findByClientKeys(ctx.db, [client_key])).length > 0) return;
  const own = await ctx.limiter.take(RATES.here, key);
  if (!own.allowed) throw tooMany(own);
  const all = await ctx.limiter.take(RATES.hereInChannel, String(channel_id));
  if (all.allowed) return;
  ctx.limiter.giveBack(RATES.here, key);
  throw tooMany(all);
}

const tooMany = ({ retryAfter }: RateDecision) => fail("here_rate_limited", { retryAfter });
