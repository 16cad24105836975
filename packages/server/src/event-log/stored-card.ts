import type { Activity } from "@parley/protocol/activity";
import type { Components, Interaction, ReplyKeyboard } from "@parley/protocol/cards";
import type { Forwarded } from "@parley/protocol/forwarded";

/**
 * The contents of `messages.card`: what a message shows besides its text. The question has no ids: they are the
 * message's. A keyboard, what the agent did or what was forwarded may be
 * all it has.
 */
export interface StoredCard {
  components?: Components;
  interaction?: Omit<Interaction, "interaction_id" | "message_id">;
  keyboard?: ReplyKeyboard;
  activity?: Activity[];
  forwarded?: Forwarded;
  feature?: FeatureRecord;
}

/**
 * The record that a message of a feature shows. The message's record has `name` as its `type`, and under the same name the
 * feature's record, with the message's id as its own: `type: "poll", poll: {poll_id, …}`.
 */
export interface FeatureRecord {
  name: string;
  record: object;
}

/** The cards that were parsed, by their rows: a page asks several times what a row's card has. */
const parsed = new WeakMap<object, { text: string; card: Readonly<StoredCard> }>();

/** Returns the card of a row, which is parsed once; null: it has none. Do not change it. */
export function storedCard(row: { readonly card: string | null }): Readonly<StoredCard> | null {
  const { card: text } = row;
  if (text === null) return null;
  const known = parsed.get(row);
  if (known?.text === text) return known.card;
  const card = JSON.parse(text) as StoredCard;
  parsed.set(row, { text, card });
  return card;
}
