import { NOTIFICATION_TEXT_MAX } from "@parley/protocol/limits";
import type { Notification } from "@parley/protocol/notifications";
import { isoTime } from "../../event-log/message-json.ts";
import { plainText } from "../../messages/history/plain-text.ts";
import type { ShownRow } from "./list.store.ts";

/** Returns the notification as on the wire. */
export function notificationRecord(row: ShownRow): Notification {
  return {
    notification_id: row.id,
    kind: row.kind,
    channel_id: row.channel_id,
    message_id: row.message_id,
    from: senderOf(row),
    read_at: row.read_at === null ? null : isoTime(row.read_at),
    created_at: isoTime(row.created_at),
    text: row.kind === "reaction" ? row.reaction : beginningOf(row),
  };
}

/** Returns who caused it: who reacted, or who wrote the message, under the name that it shows. */
export function senderOf(row: ShownRow): Notification["from"] {
  if (row.kind !== "reaction") {
    return row.sender_type === "system" ? null : { kind: row.sender_type, name: row.sender_name };
  }
  if (row.from_agent_id !== null && row.from_name !== null) return { kind: "agent", name: row.from_name };
  return row.actor_username === null ? null : { kind: "user", name: row.actor_username };
}

/** Returns the beginning of a message as one line without Markdown; null if it has no text. */
export function beginningOf({ content, mentions }: Pick<ShownRow, "content" | "mentions">): string | null {
  if (content === "") return null;
  const found = mentions === null ? [] : (JSON.parse(mentions) as Parameters<typeof plainText>[0]["mentions"]);
  const line = plainText({ content, mentions: found }).content.replace(/\s+/g, " ").trim();
  const letters = [...(line === "" ? content.trim() : line)];
  if (letters.length <= NOTIFICATION_TEXT_MAX) return letters.join("");
  return `${letters.slice(0, NOTIFICATION_TEXT_MAX - 1).join("")}…`;
}
