import type { ReplyKeyboard } from "@parley/protocol/cards";
import type { ChatMessage } from "@parley/protocol/models";

/** A keyboard of a bot, with the message that shows it. */
export interface ShownKeyboard {
  keyboard: ReplyKeyboard;
  message: ChatMessage;
}

/**
 * Returns the keyboard that the newest message for this reader shows; null: none. A bot removes only its own ones. One for
 * a single use is gone when the reader has sent the text of a button.
 */
export function keyboardFor(messages: readonly ChatMessage[], self: string | null): ShownKeyboard | null {
  const removed = new Set<string | null>();
  const sent = new Set<string>();
  for (const message of messages.toReversed()) {
    const { keyboard, agent_name } = message;
    if (message.username === self && !message.is_deleted) sent.add(message.content);
    if (keyboard === undefined || message.is_deleted || removed.has(agent_name)) continue;
    if (keyboard.selective && !isMeant(message, messages, self)) continue;
    if (keyboard.rows.length > 0) {
      const isUsed = keyboard.one_time && keyboard.rows.flat().some((text) => sent.has(text));
      return isUsed ? null : { keyboard, message };
    }
    removed.add(agent_name);
  }
  return null;
}

/** True if a message mentions the reader, or answers one of theirs. */
function isMeant({ mentions, reply_to_id }: ChatMessage, messages: readonly ChatMessage[], self: string | null) {
  const isNamed = mentions.some(({ type, name, quoted }) => type === "user" && name === self && quoted !== true);
  return isNamed || messages.some(({ id, username }) => id === reply_to_id && username === self);
}
