import type { ChatMessage } from "@parley/protocol/models";
import type { Conversation } from "../model/conversation.ts";
import { toggleSaved } from "../saved/saved-ids.ts";
import type { Parley } from "../session/parley.ts";
import type { MessageAct } from "../ui/shortcuts.ts";
import type { cardOf } from "./cards.tsx";
import { openThreadOf } from "./thread-line.tsx";
import { markUnreadFrom } from "./unread/mark-unread.ts";

/** The button that opens the choice of reactions. */
const OPENER = ".actions .react-opener";
/** The toolbar is drawn after its code has loaded; gives up after this many frames. */
const TRIES = 60;

/** A message, and who acts on it where. */
export interface Acting {
  parley: Parley;
  message: ChatMessage;
  /** The reader; null: a guest, who only looks. */
  self: string | null;
  channelSession: Conversation;
  /** Its row, if a key was pressed there. `card`: that of the message's writer; null: it has none. */
  at?: { row: HTMLElement; card: ReturnType<typeof cardOf> };
}

interface Act {
  /** True if the page offers it; the server decides in the end. */
  may(acting: Acting): boolean;
  start(acting: Acting): unknown;
}

const mayUse = ({ self, message }: Acting): boolean => self !== null && !message.is_deleted;

/**
 * The acts on a message that have a key. The keys of the focused message, its toolbar and its menus all start these; the
 * table of shortcuts names them.
 */
export const ACTS: Readonly<Record<MessageAct, Act>> = {
  reply: {
    may: mayUse,
    start: ({ channelSession, message }) => channelSession.composeState.replyTo.set(message),
  },
  react: {
    may: (acting) => acting.at !== undefined && mayUse(acting),
    start: ({ at }) => at !== undefined && openReactions(at.row, TRIES),
  },
  edit: {
    // Users edit only what is their own.
    may: ({ self, message }) =>
      self !== null &&
      !message.is_deleted &&
      message.username === self &&
      message.type === "text" &&
      message.forwarded === undefined,
    start: ({ channelSession, message }) => channelSession.composeState.edit(message.id, false),
  },
  source: {
    may: ({ message }) => message.content !== "",
    start: ({ channelSession, message }) =>
      channelSession.composeState.source.change((shown) => (shown === message.id ? null : message.id)),
  },
  thread: { may: ({ message }) => !message.is_deleted, start: ({ message }) => openThreadOf(message) },
  unread: {
    may: hasMark,
    start: ({ parley, channelSession, message }) => markUnreadFrom(parley, channelSession, message),
  },
  save: { may: mayUse, start: ({ parley, message }) => toggleSaved(parley, message.id) },
  forward: {
    // Text and files can be forwarded.
    may: (acting) => mayUse(acting) && acting.message.type === "text",
    start: ({ parley, message }) => parley.openDialog.set({ window: "forward", message }),
  },
  remind: {
    may: mayUse,
    start: ({ parley, message }) =>
      parley.openDialog.set({ window: "reminders", of: { messageId: message.id, note: null } }),
  },
  author: {
    may: ({ at }) => at?.card != null,
    start: ({ parley, at }) => at?.card != null && parley.openCard.set({ ...at.card, anchor: at.row }),
  },
};

/** Starts an act, if the page offers it. */
export async function act(name: MessageAct, acting: Acting): Promise<void> {
  if (ACTS[name].may(acting)) await ACTS[name].start(acting);
}

/** True where the user has a mark of what they have read: in a channel that is theirs, and in a thread that they follow. */
function hasMark({ parley, self, message, channelSession }: Acting): boolean {
  const { rootId } = channelSession;
  if (self === null) return false;
  if (rootId === null) return parley.channels.find(message.channel_id)?.my_role != null;
  const root = channelSession.find(rootId);
  return root === undefined || root.thread?.following === true;
}

function openReactions(row: HTMLElement, tries: number): void {
  const opener = row.querySelector<HTMLElement>(OPENER);
  if (opener !== null) opener.click();
  else if (tries > 0 && row.isConnected) requestAnimationFrame(() => openReactions(row, tries - 1));
}
