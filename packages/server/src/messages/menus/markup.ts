import type { CardElement, Components, Interaction, ReplyKeyboard } from "@parley/protocol/cards";
import type { MessageRow } from "../../event-log/message-json.ts";
import { type StoredCard, storedCard } from "../../event-log/stored-card.ts";

/** The buttons below a bot's message, and the keyboard for its readers. */
export interface Markup {
  menu: Components | null;
  keyboard: ReplyKeyboard | null;
}

/** The interaction of a menu as a message stores it: it asks nothing, so it has no deadline, votes or receipt. */
const menuState = (
  status: "open" | "cancelled",
  decided_at: string | null,
): NonNullable<StoredCard["interaction"]> => ({
  kind: "menu",
  who: { roles: ["member"] },
  quorum: 1,
  status,
  expires_at: null,
  votes: [],
  vote_count: 0,
  result: null,
  decided_at,
  payload_hash: null,
});

/** Returns the record of a message's menu. `endedAt`: null while its buttons can be pressed. */
export const menuRecord = (messageId: number, endedAt: string | null): Interaction => ({
  interaction_id: messageId,
  message_id: messageId,
  ...menuState(endedAt === null ? "open" : "cancelled", endedAt),
});

/** Returns the contents of `messages.card`; null: nothing. */
export function storedMarkup({ menu, keyboard }: Markup): string | null {
  if (menu === null && keyboard === null) return null;
  const card: StoredCard = {
    ...(menu === null ? {} : { components: menu, interaction: menuState("open", null) }),
    ...(keyboard === null ? {} : { keyboard }),
  };
  return JSON.stringify(card);
}

/** Returns the contents of `messages.card` after its menu has ended: the buttons stay, and cannot be pressed. */
export function endedMarkup(card: string, at: string): string {
  const stored = JSON.parse(card) as StoredCard;
  return JSON.stringify({ ...stored, interaction: menuState("cancelled", at) } satisfies StoredCard);
}

/** Returns the card of a message; null if it has none, or is deleted. */
export const cardOf = (row: Pick<MessageRow, "card" | "deleted_at">): StoredCard | null =>
  row.deleted_at === null ? storedCard(row) : null;

/** Returns the rows of a menu that can be pressed; null if the message has none. */
export function openMenuOf(row: Pick<MessageRow, "card" | "deleted_at">): Components | null {
  const { components, interaction } = cardOf(row) ?? {};
  return components !== undefined && interaction?.kind === "menu" && interaction.status === "open" ? components : null;
}

/** Returns the button that somebody sees under this id with this value; null if the menu has it no more. */
export function pressedButton(
  menu: Components,
  { action_id, value }: { action_id: string; value?: string | null | undefined },
): { actionId: string; choice: string } | null {
  const buttons = menu.flatMap(({ elements }) => elements.filter(isButton));
  const button = buttons.find((candidate) => candidate.action_id === action_id);
  const choice = button?.value ?? "";
  // An edit may have put another button into this place: the press means what its sender saw.
  return button === undefined || (value != null && value !== choice) ? null : { actionId: action_id, choice };
}

const isButton = (element: CardElement): element is Extract<CardElement, { type: "button" }> =>
  element.type === "button";
