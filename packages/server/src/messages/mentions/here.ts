import { RATES } from "@parley/protocol/limits";
import { existingChannel, roleIn } from "../../channels/access/access.ts";
import type { AppContext } from "../../context.ts";
import { fail } from "../../errors.ts";
import type { RecordMention } from "../../event-log/message-json.ts";
import { decide } from "../../http/acts/act.ts";
import type { AgentIdentity, UserIdentity } from "../../http/identity.ts";
import { hasLevel, MODERATOR } from "../../http/site-levels.ts";
import type { RateDecision } from "../../rate-limit/rate-limiter.ts";
import type { Draft } from "../append/draft.ts";
import { findByClientKeys } from "../messages.store.ts";

type Sender = Pick<UserIdentity | AgentIdentity, "key">;

/** True for a text that calls everybody who is online. */
export const callsHere = (mentions: readonly RecordMention[]): boolean =>
  mentions.some(({ type, quoted }) => type === "here" && quoted !== true);

/** A message to be stored, with whom it notifies. */
type Calling = Pick<Draft, "channel_id" | "client_key" | "mentioned">;

/**
 * Stores messages of one channel. If some call everybody who is online (protocol §5), the sender must have the right,
 * and each of them counts: in a minute for the sender, and in an hour for the channel. A message that is stored already
 * and is sent again does not count; nor does one that is not stored. Call it after the turn of slow mode was taken.
 * Errors: `here_not_allowed`, `here_rate_limited`, those of `store`.
 */
export function storeCalls<T extends { deduplicated: boolean }>(
  ctx: AppContext,
  caller: UserIdentity | AgentIdentity,
  messages: readonly Calling[],
  store: () => Promise<T>,
): Promise<T> {
  const calling = messages.filter(({ mentioned }) => mentioned.callsHere !== undefined);
  return calling.length === 0 ? store() : storeCounted(ctx, caller, calling, store);
}

async function storeCounted<T extends { deduplicated: boolean }>(
  ctx: AppContext,
  caller: UserIdentity | AgentIdentity,
  calling: readonly Calling[],
  store: () => Promise<T>,
): Promise<T> {
  const counted: Calling[] = [];
  const giveBack = () => {
    for (const { channel_id } of counted.splice(0)) giveCallBack(ctx, caller, channel_id);
  };
  try {
    for (const message of calling) {
      await assertMayCall(ctx, caller, message.channel_id);
      if (!(await isStored(ctx, message))) {
        await takeCall(ctx, caller, message.channel_id);
        counted.push(message);
      }
      if (message.mentioned.callsHere !== undefined) message.mentioned.callsHere.isCounted = true;
    }
    const stored = await store();
    // Another request has stored them meanwhile.
    if (stored.deduplicated) giveBack();
    return stored;
  } catch (error) {
    giveBack();
    throw error;
  }
}

const isStored = async (ctx: AppContext, { client_key }: Calling): Promise<boolean> =>
  client_key !== null && (await findByClientKeys(ctx.db, [client_key])).length > 0;

/**
 * Checks that the caller may call everybody who is online in the channel, again when the message is stored. Errors:
 * `here_not_allowed`.
 */
export const assertMayCall = (
  ctx: AppContext,
  caller: UserIdentity | AgentIdentity,
  channelId: number,
): Promise<void> => decide(ctx, caller, (ctx, caller) => checkMayCall(ctx, caller, channelId), channelId);

async function checkMayCall(ctx: AppContext, caller: UserIdentity | AgentIdentity, id: number): Promise<void> {
  const channel = await existingChannel(ctx, { id });
  if (channel.here_by === "members" || (caller.kind === "user" && hasLevel(caller, MODERATOR))) return;
  const role = await roleIn(ctx, caller, channel);
  if (role !== "owner" && role !== "admin") throw fail("here_not_allowed");
}

/** Takes from what the sender may call in a minute, and the channel in an hour. Errors: `here_rate_limited`. */
async function takeCall(ctx: AppContext, { key }: Sender, channelId: number): Promise<void> {
  const own = await ctx.limiter.take(RATES.here, key);
  if (!own.allowed) throw tooMany(own);
  const all = await ctx.limiter.take(RATES.hereInChannel, String(channelId));
  if (all.allowed) return;
  ctx.limiter.giveBack(RATES.here, key);
  throw tooMany(all);
}

function giveCallBack(ctx: AppContext, { key }: Sender, channelId: number): void {
  ctx.limiter.giveBack(RATES.here, key);
  ctx.limiter.giveBack(RATES.hereInChannel, String(channelId));
}

const tooMany = ({ retryAfter }: RateDecision) => fail("here_rate_limited", { retryAfter });
