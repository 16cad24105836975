import type { ChatMessage } from "@parley/protocol/models";
import type { Conversation } from "../model/conversation.ts";
import type { Parley } from "../session/parley.ts";

/** The button that opens the choice of reactions. */
const OPENER = ".actions .react-opener";
/** The toolbar is drawn after its code has loaded; gives up after this many frames. */
const TRIES = 60;

/** The act that a key starts on the focused message. */
export type MessageKey = "reply" | "react" | "edit" | "remind";

/** Does what the key says, as the buttons of the message do. `self`: the reader, who edits only what is their own. */
export function actByKey(
  key: MessageKey,
  {
    message,
    self,
    row,
    channelSession,
    parley,
  }: {
    message: ChatMessage;
    self: string;
    row: HTMLElement;
    channelSession: Conversation;
    parley: Parley;
  },
): void {
  if (key === "reply") channelSession.composeState.replyTo.set(message);
  else if (key === "remind") parley.openDialog.set({ window: "reminders", of: { messageId: message.id, note: null } });
  else if (key === "react") openReactions(row, TRIES);
  else if (message.username === self && message.type === "text") channelSession.composeState.edit(message.id, false);
}

function openReactions(row: HTMLElement, tries: number): void {
  const opener = row.querySelector<HTMLElement>(OPENER);
  if (opener !== null) opener.click();
  else if (tries > 0 && row.isConnected) requestAnimationFrame(() => openReactions(row, tries - 1));
}
