import type { Channel as ChannelModel } from "@parley/protocol/models";
import { assertNotBlocked } from "../../accounts/blocks/blocks.ts";
import type { AppContext } from "../../context.ts";
import { transact } from "../../db/transact.ts";
import { fail } from "../../errors.ts";
import type { UserIdentity } from "../../http/identity.ts";
import { publishEvent } from "../../realtime/publish.ts";
import { userTopic } from "../../realtime/topics.ts";
import type { Channel } from "../channel.ts";
import { channelChanged, findChannel, membershipChanged } from "../channel-cache.ts";
import { insertChannel } from "../channels.store.ts";
import { type Actor, findActor, insertMember } from "../members/members.store.ts";
import { memberRecord, publishPlace } from "../members/notify-members.ts";
import {
  closeDirectChannel,
  discardChannel,
  findDirectChannel,
  insertDirectChannel,
  type Pair,
  pairOf,
  reopenDirectChannel,
} from "./direct.store.ts";
import { closeDirectAgent, reopenDirectAgent } from "./direct-agents.store.ts";

/** A conversation as its user sees it. */
export interface Opened {
  channel: ChannelModel;
  isNew: boolean;
}

/** Ten random bytes never collide; the retries cover users who chose such a slug by hand. */
const SLUG_ATTEMPTS = 5;

/**
 * Opens the direct conversation of the caller and another user. An existing one returns to the caller's list if they
 * had closed it; a new one is announced to the other user (`channel:added`). Concurrent opens by both return the same
 * channel.
 * The conversation is an invitation-only channel with two plain members, owned by `system`, so neither can add a third,
 * remove the other, or change or delete it for both.
 * Errors: `user_not_found`, `invalid_request` (oneself), those of `assertNotBlocked`.
 */
export async function openDirect(ctx: AppContext, caller: UserIdentity, username: string): Promise<Opened> {
  return transact(ctx, async (ctx) => {
    const peer = await findActor(ctx.db, username);
    if (peer?.kind !== "user") throw fail("user_not_found");
    if (peer.id === caller.userId) {
      throw fail("invalid_request", { details: [{ path: "username", message: "must be another user" }] });
    }
    await assertNotBlocked(ctx, caller, peer.id);
    const pair = pairOf(caller.userId, peer.id);
    const { channelId, isNew } = await findOrMake(ctx, caller, peer, pair);
    if (isNew) await publishPlace(ctx, channelId, peer.id);
    else if (await reopenDirectChannel(ctx.db, channelId, sideOf(pair, caller.userId))) channelChanged(ctx, channelId);
    return { channel: await memberRecord(ctx, channelId, caller.userId), isNew };
  });
}

async function findOrMake(
  ctx: AppContext,
  caller: UserIdentity,
  peer: Actor,
  pair: Pair,
): Promise<{ channelId: number; isNew: boolean }> {
  const known = await findDirectChannel(ctx.db, pair);
  if (known !== null) return { channelId: known, isNew: false };
  const made = await insertHiddenChannel(ctx, [caller.username, peer.name].sort().join(", "), "deny");
  if (!(await insertDirectChannel(ctx.db, pair, made))) {
    // The other user opened it concurrently.
    await discardChannel(ctx.db, made);
    const twin = await findDirectChannel(ctx.db, pair);
    if (twin === null) throw fail("channel_not_found");
    return { channelId: twin, isNew: false };
  }
  const joinedAt = ctx.clock.now();
  for (const userId of [pair.low, pair.high]) {
    await insertMember(ctx.db, { channelId: made, userId, role: "member", joinedAt });
    membershipChanged(ctx, made, `u${userId}`);
  }
  channelChanged(ctx, made);
  return { channelId: made, isNew: true };
}

/**
 * Inserts the channel under a random slug. Users choose slugs freely, so a slug made of the names would reveal the
 * conversation by being taken.
 */
export async function insertHiddenChannel(
  ctx: AppContext,
  name: string,
  agent_policy: Channel["agent_policy"],
): Promise<number> {
  for (let attempt = 0; attempt < SLUG_ATTEMPTS; attempt += 1) {
    const id = await insertChannel(ctx.db, {
      name,
      slug: `direct-${Buffer.from(ctx.clock.random(10)).toString("hex")}`,
      is_private: 1,
      owner_id: null,
      pin_policy: "members",
      agent_policy,
      created_at: ctx.clock.now(),
    });
    if (id !== null) return id;
  }
  throw fail("slug_taken");
}

const sideOf = (pair: Pair, userId: number) => (pair.low === userId ? "low_closed_seq" : "high_closed_seq");

/**
 * Hides a conversation from the caller's list on all devices until the next message. Nobody can leave one permanently.
 */
export async function closeDirect(ctx: AppContext, caller: UserIdentity, channel: Channel): Promise<void> {
  if (channel.direct === null) return;
  await transact(ctx, async (ctx) => {
    const pair = pairIn(channel);
    if (pair === null) await closeDirectAgent(ctx.db, channel.id);
    else await closeDirectChannel(ctx.db, channel.id, sideOf(pair, caller.userId));
    channelChanged(ctx, channel.id);
    publishEvent(ctx, userTopic(caller.userId), "channel:removed", { channel_id: channel.id, reason: "left" });
  });
}

/** Returns the two users of a conversation; null for one with an agent, and for other channels. */
function pairIn({ direct }: Channel): Pair | null {
  if (direct === null || direct[1] === undefined) return null;
  return { low: direct[0].userId, high: direct[1].userId };
}

/**
 * Restores a conversation to the lists of participants who had closed it, after a new message, and notifies them. The
 * list shows it anyway, so a crash before this loses a notification, not a message.
 */
export async function reopenAfterMessage(ctx: AppContext, channelId: number): Promise<void> {
  const channel = await findChannel(ctx, { id: channelId });
  if (channel === null) return;
  const pair = pairIn(channel);
  for (const { userId, hasClosed } of channel.direct ?? []) {
    if (!hasClosed) continue;
    await transact(ctx, async (ctx) => {
      const reopened =
        pair === null
          ? await reopenDirectAgent(ctx.db, channelId)
          : await reopenDirectChannel(ctx.db, channelId, sideOf(pair, userId));
      if (!reopened) return;
      channelChanged(ctx, channelId);
      await publishPlace(ctx, channelId, userId);
    });
  }
}
