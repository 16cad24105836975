import type { ChatMessage } from "@parley/protocol/models";
import type { Conversation } from "../model/conversation.ts";
import { toggleSaved } from "../saved/saved-ids.ts";
import type { Parley } from "../session/parley.ts";
import type { cardOf } from "./cards.tsx";
import { openThreadOf } from "./thread-line.tsx";
import { markUnreadFrom } from "./unread/mark-unread.ts";

/** The button that opens the choice of reactions. */
const OPENER = ".actions .react-opener";
/** The toolbar is drawn after its code has loaded; gives up after this many frames. */
const TRIES = 60;

/** The act that a key starts on the focused message. */
export type MessageKey =
  | "reply"
  | "react"
  | "edit"
  | "save"
  | "forward"
  | "remind"
  | "source"
  | "author"
  | "thread"
  | "unread";

interface Focused {
  parley: Parley;
  message: ChatMessage;
  /** The reader; null: a guest, who only looks. */
  self: string | null;
  /** The card of the message's writer; null: it has none. */
  card: ReturnType<typeof cardOf>;
  row: HTMLElement;
  channelSession: Conversation;
}

/** Does what the key says, as the buttons of the message do. Users edit only what is their own. */
export async function actByKey(key: MessageKey, focused: Focused): Promise<void> {
  const { parley, message, self, card, row, channelSession } = focused;
  const { composeState } = channelSession;
  if (key === "source") composeState.source.change((shown) => (shown === message.id ? null : message.id));
  else if (key === "author") {
    if (card !== null) parley.openCard.set({ ...card, anchor: row });
  } else if (key === "unread") {
    if (self !== null) await markUnreadFrom(parley, channelSession, message);
  } else if (message.is_deleted) return;
  else if (key === "thread") openThreadOf(message);
  else if (self === null) return;
  else if (key === "reply") composeState.replyTo.set(message);
  else if (key === "react") openReactions(row, TRIES);
  else if (key === "save") await toggleSaved(parley, message.id);
  else if (key === "forward") openForward(parley, message);
  else if (key === "remind") parley.openDialog.set({ window: "reminders", of: { messageId: message.id, note: null } });
  else if (message.username === self && message.type === "text" && message.forwarded === undefined)
    composeState.edit(message.id, false);
}

/** Opens the window that forwards a message, if one of its kind can be. */
export function openForward(parley: Parley, message: ChatMessage): void {
  if (mayForward(message)) parley.openDialog.set({ window: "forward", message });
}

/** True for a kind of message that can be forwarded: text and files. */
export const mayForward = ({ type }: ChatMessage): boolean => type === "text";

function openReactions(row: HTMLElement, tries: number): void {
  const opener = row.querySelector<HTMLElement>(OPENER);
  if (opener !== null) opener.click();
  else if (tries > 0 && row.isConnected) requestAnimationFrame(() => openReactions(row, tries - 1));
}
