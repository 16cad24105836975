import type { Components, Interaction, ReplyKeyboard } from "@parley/protocol/cards";

/** The contents of `messages.card`. The question has no ids: they are the message's. A keyboard may be all it has. */
export interface StoredCard {
  components?: Components;
  interaction?: Omit<Interaction, "interaction_id" | "message_id">;
  keyboard?: ReplyKeyboard;
}

/** What a card adds to the record of its message. */
type CardOfRecord = Omit<StoredCard, "interaction"> & { interaction?: Interaction };

/** Returns what a card adds to the record of its message. */
export function cardFieldsOf(messageId: number, card: string): CardOfRecord {
  const { interaction, ...shown } = JSON.parse(card) as StoredCard;
  if (interaction === undefined) return shown;
  return { ...shown, interaction: { interaction_id: messageId, message_id: messageId, ...interaction } };
}
