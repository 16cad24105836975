import type { HoldChannelBody } from "@parley/protocol/administration";
import { audit } from "../../audit/audit.ts";
import { isoTimeOrNull } from "../../base/iso-time.ts";
import { isBlank } from "../../base/visible-text.ts";
import type { AppContext } from "../../context.ts";
import type { Millis } from "../../db/columns.ts";
import type { Db } from "../../db/db.ts";
import { transact } from "../../db/transact.ts";
import { fail } from "../../errors.ts";
import { appendEvent } from "../../event-log/events.ts";
import type { UserIdentity } from "../../http/identity.ts";
import { onlineCount } from "../../realtime/presence/user-list.ts";
import { channelChanged } from "../channel-cache.ts";
import { channelFacts } from "../channel-json.ts";
import { findChannelById, oldestMessageIdOf } from "../channels.store.ts";
import { lockAnyChannel } from "../deleted/deleted.store.ts";
import { memberCountOf } from "../members/members.store.ts";

/** A hold in force; nulls: none. The reason is for administrators only. */
export interface Hold {
  until: Millis | null;
  reason: string | null;
}

/**
 * Holds a channel, deleted or not: until the given time nothing in it is deleted by its age, by `expires_in`, or
 * because the channel was deleted (protocol §13.8). A null time ends the hold. Audited with the reason; the caller
 * checks the rights. Errors: `invalid_request` (a time in the past, no reason), `channel_not_found`.
 */
export async function holdChannel(
  ctx: AppContext,
  caller: UserIdentity,
  channelId: number,
  body: HoldChannelBody,
): Promise<Hold> {
  const hold = checkedHold(ctx, body);
  const online = await onlineCount(ctx, channelId);
  await transact(ctx, async (ctx) => {
    const row = await lockAnyChannel(ctx.db, channelId);
    if (row === null || row.purged_at !== null) throw fail("channel_not_found");
    await writeHold(ctx.db, channelId, hold);
    await audit(ctx, caller, "channel_hold", `channel:${channelId}`, {
      until: isoTimeOrNull(hold.until),
      reason: hold.reason,
    });
    channelChanged(ctx, channelId);
    const channel = await findChannelById(ctx.db, channelId);
    // A deleted channel has no readers.
    if (channel === null) return;
    const facts = channelFacts(ctx, channel, {
      memberCount: await memberCountOf(ctx.db, channelId),
      onlineCount: online,
      lastSeq: row.last_seq + 1,
      oldestMessageId: await oldestMessageIdOf(ctx.db, channelId),
    });
    await appendEvent(ctx, channelId, "channel:update", { data: { channel: facts } });
  });
  return hold;
}

function checkedHold(ctx: AppContext, { until, reason }: HoldChannelBody): Hold {
  if (until === null) return { until: null, reason: null };
  const time = Date.parse(until);
  if (!(time > ctx.clock.now())) throw invalid("until", "must be in the future");
  if (reason == null || isBlank(reason)) throw invalid("reason", "is required to hold a channel");
  return { until: time, reason };
}

const invalid = (path: string, message: string) => fail("invalid_request", { details: [{ path, message }] });

/** Writes a hold, or ends it. The caller has locked the channel's row. */
async function writeHold(
  db: Db,
  channelId: number,
  hold: { until: Millis | null; reason: string | null },
): Promise<void> {
  await db
    .updateTable("channels")
    .set({ held_until: hold.until, hold_reason: hold.reason })
    .where("id", "=", channelId)
    .execute();
}
