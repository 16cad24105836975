import type { AppContext } from "../../context.ts";
import { fail } from "../../errors.ts";
import type { UserIdentity } from "../../http/identity.ts";
import { publishEvent } from "../../realtime/publish.ts";
import { userTopic } from "../../realtime/topics.ts";
import { membershipOf, readableChannel } from "../access/access.ts";
import type { ChannelRef } from "../channel.ts";
import { readMarks } from "./read-marks.ts";
import { findReadingPlace } from "./reading.store.ts";

/** The caller's read position in a channel (protocol §3). */
export interface ReadState {
  channel_id: number;
  last_read_seq: number;
  unread_count: number;
}

/**
 * Marks a channel as read up to `seq`, or up to its newest seq; the mark never moves back. Notifies all sockets of the
 * user (`channel:read`). Errors: those of `readableChannel`, `not_a_member`, `overloaded`.
 */
export async function markRead(
  ctx: AppContext,
  caller: UserIdentity,
  ref: ChannelRef,
  seq: number | null,
): Promise<ReadState> {
  const channel = await readableChannel(ctx, caller, ref);
  if ((await membershipOf(ctx, caller, channel)) === null) throw fail("not_a_member");
  const moved = await readMarks(ctx).advance(channel.id, caller.userId, seq ?? Number.MAX_SAFE_INTEGER);
  const place = await findReadingPlace(ctx.db, channel.id, caller.userId);
  if (place === null) throw fail("not_a_member");
  const state = { channel_id: channel.id, last_read_seq: place.lastReadSeq, unread_count: place.unreadCount };
  if (moved) publishEvent(ctx, userTopic(caller.userId), "channel:read", state);
  return state;
}
