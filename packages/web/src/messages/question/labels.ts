import type { CardElement, Interaction } from "@parley/protocol/cards";

type Rows = readonly { elements: readonly CardElement[] }[];

/** The label of the button or option with this name; the name itself if the card was changed and has none of it. */
export function labelOf(components: Rows, actionId: string, value: string | null = null): string {
  const element = components
    .flatMap(({ elements }) => elements)
    .find((each) => each.type !== "link" && each.action_id === actionId);
  if (element?.type === "button") return element.label;
  if (element?.type !== "select") return value ?? actionId;
  return element.options.find((option) => option.value === value)?.label ?? value ?? element.placeholder ?? actionId;
}

/** How often each label was pressed, the most frequent first; empty if the card does not say all of it. */
export function talliesOf({ votes, vote_count }: Interaction, components: Rows): [string, number][] {
  const hasOptions = components.some(({ elements }) => elements.some(({ type }) => type === "select"));
  // Of many votes only the newest are sent, and none says which option it chose; a count of those would be wrong.
  if (votes.length < vote_count || hasOptions) return [];
  const counts = new Map<string, number>();
  for (const { action_id } of votes) {
    const label = labelOf(components, action_id);
    counts.set(label, (counts.get(label) ?? 0) + 1);
  }
  return [...counts].sort(([, one], [, other]) => other - one);
}

/** The label of the button that somebody pressed last; null: they pressed none, or chose several options. */
export function answerOf({ votes }: Interaction, components: Rows, username: string | null): string | null {
  const own = votes.findLast((vote) => vote.username === username);
  const elements = components.flatMap((row) => row.elements);
  const button = elements.find((each) => each.type === "button" && each.action_id === own?.action_id);
  return button?.type === "button" ? button.label : null;
}
