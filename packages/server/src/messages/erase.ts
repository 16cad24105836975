import { DELETED_USER } from "@parley/protocol/privacy";
import { type ErasedUser, type ErasingStep, withoutName } from "../accounts/erased.ts";
import type { AppContext } from "../context.ts";
import { announce } from "../realtime/control.ts";
import {
  disownMessages,
  eventsBehind,
  newestMessageId,
  reportsAfter,
  rewriteEvent,
  rewriteReport,
  type StoredReport,
  type TracedMessage,
  tracesIn,
} from "./erase.store.ts";
import { isSpan } from "./event-spans.ts";
import { updateMessage } from "./messages.store.ts";

/** Rows that one piece looks at. No index says whose a message is: each would cost every send, and this is rare. */
const MESSAGES = 1_000;
const EVENTS = 500;
const REPORTS = 200;

/**
 * Walks over all messages. The user's own stay, as nobody's: not even which of them were one person's can be told any more. On those of
 * others his name stays in the text, where they wrote it, and the mention means nobody; where he pinned, or his sticker is shown, the
 * label stands for him. No event tells of it, which would be one for each message he ever sent; feeds are read anew where it matters.
 */
export const eraseMessages: ErasingStep = async (ctx, user, { a: after }) => {
  const newest = await newestMessageId(ctx.db);
  if (after >= newest) return null;
  const upTo = Math.min(after + MESSAGES, newest);
  const found = await tracesIn(ctx.db, user, after, upTo);
  if (found.some(({ user_id }) => user_id === user.userId)) {
    await disownMessages(ctx.db, user.userId, DELETED_USER, { after, upTo });
  }
  for (const row of found) await rewriteMessage(ctx, user, row);
  announceRewritten(ctx, found);
  return { a: upTo, b: 0 };
};

async function rewriteMessage(ctx: AppContext, { username }: ErasedUser, row: TracedMessage): Promise<void> {
  const mentions = row.mentions === null ? null : withoutName(row.mentions, username);
  const sticker = row.sticker === null ? null : withoutName(row.sticker, username);
  const change = {
    ...(mentions === null ? {} : { mentions: mentions === "[]" ? null : mentions }),
    ...(sticker === null ? {} : { sticker }),
    ...(row.pinned_by === username ? { pinned_by: DELETED_USER } : {}),
  };
  if (Object.keys(change).length > 0) await updateMessage(ctx.db, row.id, change);
}

/** Tells the feeds of every node up to where each channel was rewritten. */
function announceRewritten(ctx: AppContext, rows: readonly { channel_id: number; seq: number }[]): void {
  const upTo = new Map<number, number>();
  for (const { channel_id, seq } of rows) upTo.set(channel_id, Math.max(seq, upTo.get(channel_id) ?? 0));
  for (const [channelId, seq] of upTo) announce(ctx, "history_rewritten", `${channelId}:${seq}`);
}

/**
 * Walks over all other durable events: who reacted, who pinned, who owned the channel. What spans tell is read from where it stands, under
 * the label by now; only what feeds hold of them has to be read anew.
 */
export const eraseEvents: ErasingStep = async (ctx, { username }, { a: channelId, b: seq }) => {
  const rows = await eventsBehind(ctx.db, channelId, seq, EVENTS);
  const rewritten = rows.flatMap((row) => {
    const data = withoutName(row.data, username);
    return data === null ? [] : [{ ...row, data }];
  });
  for (const row of rewritten) await rewriteEvent(ctx.db, row);
  announceRewritten(ctx, [...rewritten, ...rows.filter(({ event }) => isSpan(event))]);
  const last = rows.at(-1);
  return last === undefined ? null : { a: last.channel_id, b: last.seq };
};

/** His name in copies that moderators keep of messages, and as the moderator who closed a report. The copies themselves stay. */
export const eraseReports: ErasingStep = async (ctx, user, { a: after }) => {
  const rows = await reportsAfter(ctx.db, after, REPORTS);
  for (const row of rows) {
    const snapshot = namelessCopy(row, user);
    const isHandler = row.handled_by === user.username;
    if (snapshot === null && !isHandler) continue;
    const handled_by = isHandler ? DELETED_USER : row.handled_by;
    await rewriteReport(ctx.db, { id: row.id, snapshot: snapshot ?? row.snapshot, handled_by });
  }
  const last = rows.at(-1);
  return last === undefined ? null : { a: last.id, b: 0 };
};

/** Null when it is as it should be. Of his own messages the key that his client chose goes, as it does from the messages. */
function namelessCopy({ author_id, snapshot }: StoredReport, { userId, username }: ErasedUser): string | null {
  const nameless = withoutName(snapshot, username);
  if (author_id !== userId) return nameless;
  return JSON.stringify({ ...(JSON.parse(nameless ?? snapshot) as object), client_msg_id: null });
}
