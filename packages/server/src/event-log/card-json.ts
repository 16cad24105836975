import type { Components, Interaction } from "@parley/protocol/cards";

/** The contents of `messages.card`. The question has no ids: they are the message's. */
export interface StoredCard {
  components: Components;
  interaction?: Omit<Interaction, "interaction_id" | "message_id">;
}

/** Returns what a card adds to the record of its message. */
export function cardFieldsOf(messageId: number, card: string): { components: Components; interaction?: Interaction } {
  const { components, interaction } = JSON.parse(card) as StoredCard;
  if (interaction === undefined) return { components };
  return { components, interaction: { interaction_id: messageId, message_id: messageId, ...interaction } };
}
