import type { Fields } from "../fields.ts";

/** Returns a number of Telegram as text: chats and messages have numbers, which some programs write as text. */
export function numberOf(fields: Fields, name: string): string {
  const value = fields[name];
  const text = typeof value === "number" ? String(value) : typeof value === "string" ? value.trim() : "";
  return /^-?\d{1,19}$/.test(text) ? text : "";
}

/** Returns the id of a person or channel, such as `user123`. Old exports have only the number of a person. */
export function peerOf(fields: Fields, name: string): string {
  const value = fields[name];
  if (typeof value === "string" && /^(?:user|chat|channel)\d{1,19}$/.test(value)) return value;
  const number = numberOf(fields, name);
  return /^\d/.test(number) ? `user${number}` : "";
}

/** True for a channel or group that writes in its own name. */
export const isGroupPeer = (id: string): boolean => !id.startsWith("user");
