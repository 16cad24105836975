import type { ErasingStep } from "../erasure.ts";
import { port } from "../hook.ts";
import type { Module } from "../module.ts";

/** The names of the steps in their order. They are stored in the database, so neither names nor order may change. */
const ORDER: readonly string[] = [
  "memberships",
  "preferences",
  "bans",
  "conversations",
  "agent_conversations",
  "invitations",
  "wallet_challenges",
  "blocks",
  "devices",
  "reset_links",
  "identities",
  "second_factors",
  "security_notices",
  "notifications",
  "webhooks",
  "payouts",
  "packets",
  "payments",
  "social_accounts",
  "agents",
  "stickers",
  "files",
  "cards",
  "reactions",
  "polls",
  "messages",
  "thread_follows",
  "sticker_files",
  "events",
  "reasons",
  "reports",
  "answers",
  "actor",
  "audit",
  "points",
  "emoji",
];

export interface Step {
  readonly name: string;
  readonly erase: ErasingStep;
}

/**
 * Returns the steps that the modules give, in order. A step that is not listed above runs after those, by name: list it
 * if another one must run after it.
 */
export function stepsOf(all: readonly Module[]): readonly Step[] {
  const steps = all.flatMap(({ erase = {} }) => Object.entries(erase).map(([name, erase]) => ({ name, erase })));
  return steps.sort((one, other) => placeOf(one) - placeOf(other) || (one.name < other.name ? -1 : 1));
}

const placeOf = ({ name }: Step): number => (ORDER.includes(name) ? ORDER.indexOf(name) : ORDER.length);

/** The steps of this server. */
export const erasingSteps = port<readonly Step[]>("erasing steps");
