import { NOTIFICATION_TEXT_MAX } from "@parley/protocol/limits";
import type { Notification, NotificationNotice } from "@parley/protocol/notifications";
import { isoTime, isoTimeOrNull } from "../../base/iso-time.ts";
import { plainText } from "../../messages/history/plain-text.ts";
import type { ShownRow } from "./list.store.ts";

/** A notice as the database stores it. */
export interface StoredNotice extends NotificationNotice {
  channel_id: number | null;
  message_id: number | null;
}

/** A reminder as the database stores it: to the release before, a notice that it does not know. */
export interface StoredReminder {
  code: "reminder";
  subject: null;
  /** The user's note. */
  detail: string | null;
  channel_id: number;
  message_id: number;
  reminder_id: number;
}

/** Returns the notification as on the wire. */
export function notificationRecord(row: ShownRow): Notification {
  if (row.reminded_id !== null) return remindingRecord(row, JSON.parse(row.notice ?? "{}") as StoredReminder);
  if (row.notice !== null) return noticeRecord(row, JSON.parse(row.notice) as StoredNotice);
  return {
    notification_id: row.id,
    kind: row.kind,
    channel_id: row.channel_id,
    message_id: row.message_id,
    from: senderOf(row),
    read_at: isoTimeOrNull(row.read_at),
    created_at: isoTime(row.created_at),
    text: row.kind === "reaction" ? row.reaction : beginningOf(row),
  };
}

function noticeRecord(row: ShownRow, { channel_id, message_id, ...notice }: StoredNotice): Notification {
  const { id, kind, read_at, created_at } = row;
  return {
    notification_id: id,
    kind,
    channel_id,
    message_id,
    notice,
    from: null,
    read_at: isoTimeOrNull(read_at),
    created_at: isoTime(created_at),
    text: null,
  };
}

function remindingRecord(row: ShownRow, { channel_id, message_id, reminder_id, detail }: StoredReminder): Notification {
  return {
    notification_id: row.id,
    kind: "reminder",
    channel_id,
    message_id,
    reminder: { reminder_id, note: detail },
    from: writerOf(row),
    read_at: isoTimeOrNull(row.read_at),
    created_at: isoTime(row.created_at),
    text: beginningOf(row),
  };
}

/** Returns who caused it: who reacted, or who wrote the message, under the name that it shows. */
export function senderOf(row: ShownRow): Notification["from"] {
  if (row.kind !== "reaction") {
    return writerOf(row);
  }
  if (row.from_agent_id !== null && row.from_name !== null) return { kind: "agent", name: row.from_name };
  return row.actor_username === null ? null : { kind: "user", name: row.actor_username };
}

/** Returns who wrote a message, under the name that it shows. */
export function writerOf({
  sender_type,
  webhook_id,
  sender_name,
}: Pick<ShownRow, "sender_type" | "webhook_id" | "sender_name">): Notification["from"] {
  if (sender_type === null || sender_name === null) return null;
  if (webhook_id !== null) return { kind: "webhook", name: sender_name };
  return sender_type === "system" ? null : { kind: sender_type, name: sender_name };
}

/** Returns the beginning of a message as one line without Markdown; null if it has no text. */
export function beginningOf({ content, mentions }: Pick<ShownRow, "content" | "mentions">): string | null {
  if (content === null || content === "") return null;
  const found = mentions === null ? [] : (JSON.parse(mentions) as Parameters<typeof plainText>[0]["mentions"]);
  const line = plainText({ content, mentions: found }).content.replace(/\s+/g, " ").trim();
  const letters = [...(line === "" ? content.trim() : line)];
  if (letters.length <= NOTIFICATION_TEXT_MAX) return letters.join("");
  return `${letters.slice(0, NOTIFICATION_TEXT_MAX - 1).join("")}…`;
}
