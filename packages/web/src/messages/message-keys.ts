import type { ChatMessage } from "@parley/protocol/models";
import type { Conversation } from "../model/conversation.ts";
import { toggleSaved } from "../saved/saved-ids.ts";
import type { Parley } from "../session/parley.ts";

/** The button that opens the choice of reactions. */
const OPENER = ".actions .react-opener";
/** The toolbar is drawn after its code has loaded; gives up after this many frames. */
const TRIES = 60;

/** The act that a key starts on the focused message. */
export type MessageKey = "reply" | "react" | "edit" | "save" | "forward";

/** Does what the key says, as the buttons of the message do. `self`: the reader, who edits only what is their own. */
export function actByKey(
  key: MessageKey,
  {
    parley,
    message,
    self,
    row,
    channelSession,
  }: {
    parley: Parley;
    message: ChatMessage;
    self: string;
    row: HTMLElement;
    channelSession: Conversation;
  },
): void {
  if (key === "reply") channelSession.composeState.replyTo.set(message);
  else if (key === "react") openReactions(row, TRIES);
  else if (key === "save") toggleSaved(parley, message.id).catch((error: unknown) => parley.showError(error));
  else if (key === "forward") openForward(parley, message);
  else if (message.username === self && message.type === "text" && message.forwarded === undefined)
    channelSession.composeState.edit(message.id, false);
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
