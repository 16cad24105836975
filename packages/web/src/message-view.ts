import type { ChatMessage } from "@parley/protocol/records";
import { agentBadge, faceOf, make, nameOf } from "./dom.ts";

const CLOCK = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit" });
const DAY = new Intl.DateTimeFormat(undefined, { weekday: "long", day: "numeric", month: "long" });
/** Messages of one sender within this time stand under one name. */
const TOGETHER_MS = 5 * 60_000;

export const senderOf = (message: ChatMessage): string => message.agent_name ?? message.username ?? "system";

/** Does the message stand under the name of the one before it? */
export function continues(message: ChatMessage, before: ChatMessage | undefined): boolean {
  if (before === undefined || message.reply_to_id !== null || !isSameDay(message, before)) return false;
  if (senderOf(message) !== senderOf(before) || message.sender_type !== before.sender_type) return false;
  return Date.parse(message.created_at) - Date.parse(before.created_at) < TOGETHER_MS;
}

export function isSameDay(message: ChatMessage, before: ChatMessage | undefined): boolean {
  return before !== undefined && dayOf(message) === dayOf(before);
}

const dayOf = (message: ChatMessage): string => new Date(message.created_at).toDateString();

export function dayLine(message: ChatMessage): HTMLElement {
  const line = make("li", "day", make("span", "", DAY.format(new Date(message.created_at))));
  line.role = "separator";
  return line;
}

/** One message. `repliedTo`: the message it answers, when it is on the page; `me`: who reads. */
export function messageItem(
  message: ChatMessage,
  { continued, repliedTo, me }: { continued: boolean; repliedTo: ChatMessage | undefined; me: string | null },
): HTMLElement {
  const isAgent = message.sender_type === "agent";
  const item = make("li", continued ? "message continued" : "message");
  item.dataset.id = String(message.id);
  const time = make("time", "", CLOCK.format(new Date(message.created_at)));
  time.dateTime = message.created_at;
  if (continued) item.append(time);
  else {
    const head = make("div", "head", nameOf(senderOf(message)), ...(isAgent ? [agentBadge()] : []), time);
    if (repliedTo !== undefined) item.append(replyLine(repliedTo));
    item.append(faceOf(senderOf(message), isAgent), head);
  }
  item.append(bodyOf(message, me));
  if (me !== null && message.mentions.some(({ name }) => name.toLowerCase() === me.toLowerCase())) {
    item.classList.add("for-me");
  }
  return item;
}

/** A message that is on its way. */
export function pendingItem(text: string, retry: () => void): { item: HTMLElement; fail(reason: string): void } {
  const status = make("span", "status", "sending…");
  const body = make("div", "body", text);
  body.dir = "auto";
  const item = make("li", "message continued pending", body, status);
  return {
    item,
    fail(reason) {
      item.classList.add("failed");
      const again = make("button", "link", "Try again");
      again.type = "button";
      again.onclick = () => {
        item.classList.remove("failed");
        status.replaceChildren("sending…");
        retry();
      };
      status.replaceChildren(`Not sent: ${reason} `, again);
    },
  };
}

function replyLine(message: ChatMessage): HTMLElement {
  const text = message.is_deleted ? "message deleted" : message.content.slice(0, 120);
  return make("div", "reply", "↪ ", nameOf(senderOf(message)), " ", make("bdi", "", text));
}

function bodyOf(message: ChatMessage, me: string | null): HTMLElement {
  const body = make("div", "body");
  body.dir = "auto";
  if (message.is_deleted) {
    body.classList.add("deleted");
    body.append("message deleted");
    return body;
  }
  let at = 0;
  for (const { name, offset, length } of message.mentions.toSorted((a, b) => a.offset - b.offset)) {
    if (offset < at) continue;
    const isMe = name.toLowerCase() === me?.toLowerCase();
    const mention = make("span", isMe ? "mention me" : "mention", message.content.slice(offset, offset + length));
    body.append(message.content.slice(at, offset), mention);
    at = offset + length;
  }
  body.append(message.content.slice(at));
  if (message.edited_at !== null) body.append(make("span", "mark", " (edited)"));
  if (message.is_pinned) body.append(make("span", "mark", " · pinned"));
  return body;
}
