import type { UpdateChannelBody, WouldDelete } from "@parley/protocol/channels";
import type { AppContext } from "../../context.ts";
import { lastSeq } from "../../event-log/feed/feed.ts";
import { firstSeqSince } from "../../event-log/first-since.ts";
import type { UserIdentity } from "../../http/identity.ts";
import type { Channel, ChannelRef } from "../channel.ts";
import { updatableChannel } from "../settings/settings.service.ts";
import { countRemovable, keptWith, nextSeq } from "./removable.ts";
import { effectiveDays, keptSince } from "./retention.ts";

/** Seqs counted at once: about 10 ms of SQLite's only connection. */
const COUNTED = 20_000;

/** What a change of a channel's limit would do. The fields are those of the response. */
export interface DryRun {
  /** Unchanged. */
  channel: Channel;
  would_delete: WouldDelete;
  /** The limit that would apply; null: none. */
  effective_retention_days: number | null;
}

/**
 * Counts the messages and files that the next pass would delete with these settings, and changes nothing. A hold does
 * not count: it only delays the deletion. Errors: those of `updatableChannel`.
 */
export async function dryRun(
  ctx: AppContext,
  caller: UserIdentity,
  ref: ChannelRef,
  input: UpdateChannelBody,
): Promise<DryRun> {
  const { channel } = await updatableChannel(ctx, caller, ref, input);
  const own = input.retention_days === undefined ? channel.retention_days : input.retention_days;
  const days = effectiveDays(ctx.config, own);
  const would_delete = { messages: 0, files: 0 };
  if (days === null) return { channel, would_delete, effective_retention_days: null };
  const newest = await lastSeq(ctx, channel.id);
  const end = await firstSeqSince(ctx.db, channel.id, newest, keptSince(ctx.clock.now(), days));
  const kept = keptWith(ctx, input.keep_pinned ?? channel.keep_pinned);
  for (let next = await nextSeq(ctx.db, channel.id, 0); next !== undefined && next < end; ) {
    const last = Math.min(next + COUNTED, end) - 1;
    const range = { channelId: channel.id, after: next - 1, below: last + 1 };
    const found = await countRemovable(ctx.db, range, kept);
    would_delete.messages += found.messages;
    would_delete.files += found.files;
    // A synchronous database would otherwise never yield to the event loop.
    await new Promise(setImmediate);
    next = await nextSeq(ctx.db, channel.id, last);
  }
  return { channel, would_delete, effective_retention_days: days };
}
