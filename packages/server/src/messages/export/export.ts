import { type ChannelExportQuery, EXPORT_VERSION } from "@parley/protocol/privacy";
import { audit } from "../../audit/audit.ts";
import { isoTime } from "../../base/iso-time.ts";
import { membershipOf, readableChannel } from "../../channels/access/access.ts";
import { copyOf, copyPath } from "../../channels/access/pricing.ts";
import { assertNotBanned } from "../../channels/bans/bans.ts";
import type { Channel } from "../../channels/channel.ts";
import { findChannel, oldestMessageId } from "../../channels/channel-cache.ts";
import { channelFacts } from "../../channels/channel-json.ts";
import { memberCount, memberPages } from "../../channels/members/members.service.ts";
import { purgedOf } from "../../channels/retention/purged.ts";
import type { AppContext } from "../../context.ts";
import { fail } from "../../errors.ts";
import { jsonList } from "../../http/answers/streamed.ts";
import type { Identity } from "../../http/identity.ts";
import { ADMINISTRATOR, hasLevel } from "../../http/site-levels.ts";
import { payDelisted, priceBefore } from "../../payments/offers/delisted-offers.ts";
import type { Pay } from "../../payments/pay/transports.ts";
import { onlineCount } from "../../realtime/presence/user-list.ts";
import { channelMessages, pinsOf } from "../history/all-messages.ts";
import { actorOf } from "../own-fields.ts";

/**
 * Returns the channel if the caller may export it free of charge (protocol §2): its owner, administrators (audited),
 * and both participants of a direct conversation, which nobody owns. Everyone else pays if the channel has a price
 * (protocol §7); if it is public, that includes outsiders and guests.
 * Errors: those of `readableChannel`, `session_required` (guests), `forbidden`, and for a priced channel those of
 * `pay`.
 */
export async function exportableChannel(
  ctx: AppContext,
  caller: Identity,
  channelId: number,
  pay: Pay,
  isTaken = true,
): Promise<Channel> {
  const sold = await soldChannel(ctx, caller, channelId);
  const channel = sold ?? (await readableChannel(ctx, caller, { id: channelId }));
  if (caller.kind === "guest" && channel.price === null) {
    if (await hasPaidBefore(ctx, caller, channel, pay)) return channel;
    throw fail("session_required");
  }
  const place = await membershipOf(ctx, caller, channel);
  if (place?.role === "owner" || (place !== null && channel.direct !== null)) return channel;
  if (caller.kind === "user" && hasLevel(caller, ADMINISTRATOR)) {
    // HEAD exports nothing.
    if (isTaken) await audit(ctx, caller, "channel_export", `channel:${channel.id}`);
    return channel;
  }
  if (channel.price !== null) {
    await pay(copyOf(channel));
    return channel;
  }
  if (await hasPaidBefore(ctx, caller, channel, pay)) return channel;
  throw fail("forbidden", { message: "Only the channel's owner and administrators can download a copy." });
}

/**
 * True if the caller paid for an export, or was quoted its price, while the channel had a price. The delisted export
 * remains available to such callers only, for the 24 hours of their payment.
 */
async function hasPaidBefore(ctx: AppContext, caller: Identity, channel: Channel, pay: Pay): Promise<boolean> {
  const price = await priceBefore(ctx, caller, copyPath(channel));
  return price !== null && (await payDelisted(pay, copyOf({ ...channel, price }))) !== null;
}

/**
 * Returns the public channel with a price, else null. Guests see it where guests may read; nothing is sold to banned
 * callers.
 */
async function soldChannel(ctx: AppContext, caller: Identity, id: number): Promise<Channel | null> {
  const channel = await findChannel(ctx, { id });
  if (channel === null || channel.isPrivate || channel.price === null) return null;
  if (caller.kind === "guest" && !ctx.config.guestRead) throw fail("session_required");
  await assertNotBanned(ctx, caller, id);
  return channel;
}

/** An export in progress. */
interface Copy {
  readonly head: object;
  readonly counts: Record<string, number>;
  readonly lastSeq: number;
  readonly parts: readonly { name: string; type: string; pages: AsyncIterable<readonly string[]> }[];
}

/**
 * Streams the channel with its members, pins and messages up to now, as JSON Lines or one document. It is read in
 * pages, not as a snapshot: a concurrent edit may or may not be included.
 */
export async function* channelExport(
  ctx: AppContext,
  caller: Identity,
  channel: Channel,
  format: ChannelExportQuery["format"],
): AsyncGenerator<string> {
  const copy = await copyBegun(ctx, caller, channel);
  yield* format === "json" ? document(copy) : lines(copy);
}

async function copyBegun(ctx: AppContext, caller: Identity, channel: Channel): Promise<Copy> {
  const { lastSeq, pages } = await channelMessages(ctx, channel, actorOf(caller));
  const counts = {
    memberCount: await memberCount(ctx, channel),
    onlineCount: await onlineCount(ctx, channel.id),
    oldestMessageId: await oldestMessageId(ctx, channel.id),
  };
  return {
    head: {
      format: "parley-channel-export",
      version: EXPORT_VERSION,
      exported_at: isoTime(ctx.clock.now()),
      retention: await purgedOf(ctx, channel.id),
      channel: channelFacts(ctx, channel, { ...counts, lastSeq }),
    },
    counts: {},
    lastSeq,
    parts: [
      { name: "members", type: "member", pages: memberPages(ctx, channel) },
      { name: "pins", type: "pin", pages: pinsOf(ctx, channel.id) },
      { name: "messages", type: "message", pages },
    ],
  };
}

/** The end marker; an export without it was cut off. */
const end = ({ counts, lastSeq }: Copy) => ({ counts, last_seq: lastSeq, complete: true });

async function* document(copy: Copy): AsyncGenerator<string> {
  yield JSON.stringify({ success: true, ...copy.head }).slice(0, -1);
  for (const { name, pages } of copy.parts) yield* jsonList(name, pages, copy.counts);
  yield `,${JSON.stringify(end(copy)).slice(1)}`;
}

async function* lines(copy: Copy): AsyncGenerator<string> {
  yield `${JSON.stringify({ type: "channel", ...copy.head })}\n`;
  for (const { name, type, pages } of copy.parts) {
    let count = 0;
    for await (const page of pages) {
      for (const item of page) yield `{"type":"${type}","${type}":${item}}\n`;
      count += page.length;
    }
    copy.counts[name] = count;
  }
  yield `${JSON.stringify({ type: "end", ...end(copy) })}\n`;
}
