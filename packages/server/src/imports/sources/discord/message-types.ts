import { type Fields, textOf } from "../fields.ts";

/** A channel's notice that a thread began. */
export const THREAD_CREATED = "ThreadCreated";

/** The types of messages by people and programs; DiscordChatExporter has no names for those of commands (20, 23). */
const SAID = new Set(["", "Default", "Reply", "20", "23"]);

/** True for a message that somebody wrote. Every other one is a notice of Discord's own. */
export const isSaid = (message: Fields): boolean =>
  typeof message.type === "number" ? [0, 19, 20, 23].includes(message.type) : SAID.has(textOf(message, "type"));

/** Returns the type of a notice as a word for programs. */
export function noticeReason(message: Fields): string {
  const type = String(message.type);
  if (/^\d{1,3}$/.test(type)) return `type_${type}`;
  return /^[A-Za-z]{1,64}$/.test(type) ? type.replace(/(?<=[a-z])(?=[A-Z])/g, "_").toLowerCase() : "unknown";
}
