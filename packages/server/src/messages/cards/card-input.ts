import type { CardFields, InteractionInput } from "@parley/protocol/card-calls";
import { CARD_BYTES, CARD_SECONDS_DEFAULT } from "@parley/protocol/card-limits";
import type { CardElement, Components } from "@parley/protocol/cards";
import { isBlank } from "../../base/visible-text.ts";
import { type AppError, fail } from "../../errors.ts";

/** A card that has passed the checks which need no database, in the order of fields in which it is stored and hashed. */
export interface CheckedCard {
  components: Components;
  interaction: (InteractionInput & { expires_in: number; quorum: number }) | null;
}

/** A button or a select. */
type Action = Exclude<CardElement, { type: "link" }>;

/**
 * Checks what the schema cannot say: ids are unique, a card with buttons asks something, and an approval has
 * exactly the buttons `approve` and `deny`. Errors: `invalid_components`, `nobody_may_answer`.
 */
export function checkCard({ components, interaction }: CardFields): CheckedCard {
  if (components == null) throw invalid("components", "is required with an interaction");
  const rows = components.map(({ elements }) => ({ type: "row" as const, elements: elements.map(normal) }));
  if (Buffer.byteLength(JSON.stringify(rows)) > CARD_BYTES) throw invalid("components", "has more than 8 KiB of JSON");
  const actions = actionsOf(rows);
  const ids = actions.map(({ action_id }) => action_id);
  const twice = ids.find((id, at) => ids.indexOf(id) !== at);
  if (twice !== undefined) throw invalid("components", `has the action_id ${twice} twice`);
  if (interaction == null) {
    if (actions.length > 0) throw invalid("interaction", "is required with buttons or selects");
    return { components: rows, interaction: null };
  }
  if (actions.length === 0) throw invalid("components", "must have a button or a select, or nobody could answer");
  return { components: rows, interaction: checkQuestion(interaction, actions) };
}

function checkQuestion(
  { kind, who, expires_in = CARD_SECONDS_DEFAULT, quorum = 1 }: InteractionInput,
  actions: readonly Action[],
): CheckedCard["interaction"] {
  if (kind === "approval") {
    const ids = actions.map(({ type, action_id }) => `${type} ${action_id}`).sort();
    if (ids.join() !== "button approve,button deny")
      throw invalid("components", "must have exactly the buttons approve and deny in an approval");
    if (who.roles?.includes("member")) {
      const message = "Not every member may approve. Name users, admins or the agent's verified owner.";
      throw fail("nobody_may_answer", { message, details: [{ path: "interaction.who.roles", message }] });
    }
  } else if (quorum !== 1) throw invalid("interaction.quorum", "is only for approvals");
  return { kind, who, expires_in, quorum };
}

/** Returns the element with its known fields, in one order. */
function normal(element: CardElement): CardElement {
  if (element.type === "link") {
    const { label, url } = element;
    return { type: "link", label: checkLabel(label), url: checkLink(url) };
  }
  const { action_id } = element;
  if (element.type === "button") {
    const { label, style, value, confirm } = element;
    return {
      type: "button",
      action_id,
      label: checkLabel(label),
      ...(style === undefined ? {} : { style }),
      ...(value === undefined ? {} : { value }),
      ...(confirm === undefined ? {} : { confirm: checkDirection("confirm", confirm) }),
    };
  }
  const { placeholder, options } = element;
  const values = new Set(options.map(({ value }) => value));
  if (values.size < options.length) throw invalid("components", `has options of ${action_id} with the same value`);
  return {
    type: "select",
    action_id,
    ...(placeholder === undefined ? {} : { placeholder: checkDirection("placeholder", placeholder) }),
    options: options.map(({ label, value }) => ({ label: checkLabel(label), value })),
  };
}

/** Characters that turn the reading direction, or end the line: a label must not read otherwise than it is stored. */
const TURNING = /[\p{Bidi_Control}\p{Cc}\u2028\u2029]/u;

function checkLabel(label: string): string {
  if (isBlank(label)) throw invalid("components", "has a blank label");
  if (TURNING.test(label)) throw invalid("components", "has a label with control or bidirectional characters");
  return label;
}

/** A question before a press may have several lines, but must read as it is stored, too. */
function checkDirection(field: string, text: string): string {
  if (/\p{Bidi_Control}/u.test(text)) throw invalid("components", `has a ${field} with bidirectional characters`);
  return text;
}

function checkLink(url: string): string {
  const parsed = URL.canParse(url) ? new URL(url) : null;
  const isWeb = parsed?.protocol === "https:" || parsed?.protocol === "http:";
  if (parsed === null || !isWeb || parsed.username !== "" || parsed.password !== "")
    throw invalid("components", "has a link that is not an http or https address");
  return parsed.href;
}

/** Returns the buttons and selects of a card. */
export const actionsOf = (components: Components): Action[] =>
  components.flatMap(({ elements }) => elements.filter((element): element is Action => element.type !== "link"));

/** Returns the value of a press; null if the card has no such action or the action no such value. */
export function chosenValue(
  components: Components,
  { action_id, value }: { action_id: string; value?: string | null | undefined },
): { value: string | null } | null {
  const action = actionsOf(components).find((candidate) => candidate.action_id === action_id);
  if (action === undefined) return null;
  if (action.type === "button") {
    const own = action.value ?? null;
    return value == null || value === own ? { value: own } : null;
  }
  return action.options.some((option) => option.value === value) ? { value: value ?? null } : null;
}

const invalid = (path: string, message: string): AppError =>
  fail("invalid_components", { details: [{ path, message }] });
