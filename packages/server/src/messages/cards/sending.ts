import type { CardFields } from "@parley/protocol/card-calls";
import type { ApprovalRule, Who } from "@parley/protocol/cards";
import { nameKey } from "../../accounts/names/names.ts";
import { isoTime } from "../../base/iso-time.ts";
import { isBlank } from "../../base/visible-text.ts";
import type { AppContext } from "../../context.ts";
import { fail } from "../../errors.ts";
import type { MessageRow } from "../../event-log/message-json.ts";
import type { StoredCard } from "../../event-log/stored-card.ts";
import type { AgentIdentity } from "../../http/identity.ts";
import { assertScope } from "../../http/key-scopes.ts";
import { type CheckedCard, checkCard } from "./card-input.ts";
import { quorumUnder } from "./channel-rule.ts";
import { type InteractionRow, insertInteraction, usersNamed, verifiedOwner } from "./interactions.store.ts";
import { questionChanged } from "./question-hook.ts";
import { payloadHash } from "./receipts.ts";

/** The question of a card, without what its message says. */
export interface Question {
  row: Omit<InteractionRow, "message_id" | "channel_id" | "agent_id" | "agent_name" | "created_at">;
  userIds: readonly number[];
}

/** A card that may be sent. */
export interface SentCard {
  /** The contents of `messages.card`. */
  json: string;
  /** Two sends with the same text carry the same card. */
  fingerprint: string;
  question: Question | null;
  /** True for what a bot shows for machines (`menus/markup.ts`): it is no card of the budgets. */
  isMarkup?: true;
  /** Of a feature (`FeatureRecord`): stores what it needs besides the message, in the transaction that stores the message. */
  store?: (ctx: AppContext, message: MessageRow) => Promise<void>;
}

/** True if a send has a card. */
export const hasCard = ({ components, interaction }: CardFields): boolean => components != null || interaction != null;

/** Returns what makes two sends of a card the same. Errors: those of `checkCard`. */
export const fingerprintOf = (card: CardFields): string => JSON.stringify(checkCard(card));

/**
 * Checks a card that an agent sends with this text, under the rule of its channel. Errors: `insufficient_scope`, `message_required`, `invalid_components`,
 * `nobody_may_answer`, `user_not_found`. The batch that stores the message counts the questions (`OpenQuestions`).
 */
export async function cardToSend(
  ctx: AppContext,
  caller: AgentIdentity,
  { content, card, rule }: { content: string; card: CardFields; rule: ApprovalRule | null },
): Promise<SentCard> {
  assertScope(caller, "cards");
  if (isBlank(content)) throw fail("message_required");
  const checked = checkCard(card);
  const { components, interaction } = checked;
  const fingerprint = JSON.stringify(checked);
  if (interaction === null)
    return { json: JSON.stringify({ components } satisfies StoredCard), fingerprint, question: null };
  const { kind } = interaction;
  const quorum = kind === "approval" ? quorumUnder(rule, interaction.quorum) : interaction.quorum;
  const { who, userIds } = await whoMayAnswer(ctx, caller, { ...interaction, quorum });
  const expires_at = ctx.clock.now() + interaction.expires_in * 1_000;
  const payload_hash = payloadHash(content, components);
  const shown = {
    kind,
    who,
    quorum,
    status: "open" as const,
    expires_at: isoTime(expires_at),
    votes: [],
    vote_count: 0,
    result: null,
    decided_at: null,
    payload_hash,
  };
  const question: Question = {
    row: {
      kind,
      who: JSON.stringify(who),
      quorum,
      status: "open",
      expires_at,
      due_at: expires_at,
      cancel_reason: null,
      result_press_id: null,
      press_count: 0,
      decided_at: null,
      payload_hash,
      receipt: null,
    },
    userIds,
  };
  return { json: JSON.stringify({ components, interaction: shown } satisfies StoredCard), fingerprint, question };
}

/**
 * Finds the people whom a card asks. Users are kept by their ids: a name that becomes free must not inherit a right.
 * Errors: `user_not_found`, `nobody_may_answer`.
 */
async function whoMayAnswer(
  ctx: AppContext,
  { agentId }: AgentIdentity,
  { who, quorum }: NonNullable<CheckedCard["interaction"]>,
): Promise<{ who: Who; userIds: number[] }> {
  const names = new Map((who.users ?? []).map((name) => [nameKey(name), name]));
  const found = new Map((await usersNamed(ctx.db, [...names.keys()])).map((user) => [user.key, user]));
  const missing = [...names].filter(([key]) => !found.has(key));
  if (missing.length > 0) {
    const details = missing.map(([, name]) => ({ path: "interaction.who.users", message: `${name} does not exist` }));
    throw fail("user_not_found", { details });
  }
  const users = [...names.keys()].flatMap((key) => found.get(key) ?? []);
  const roles = [...new Set(who.roles ?? [])].sort();
  const ownerId = who.owner === true ? await verifiedOwner(ctx.db, agentId) : null;
  const isOpenEnded = roles.length > 0 || who.min_admin_level !== undefined;
  const people = new Set([...users.map(({ id }) => id), ...(ownerId === null ? [] : [ownerId])]);
  if (!isOpenEnded && people.size === 0) throw fail("nobody_may_answer");
  if (!isOpenEnded && people.size < quorum) {
    const message = `Only ${people.size} people may answer, and ${quorum} must approve.`;
    throw fail("nobody_may_answer", { message, details: [{ path: "interaction.quorum", message }] });
  }
  return {
    who: {
      ...(users.length === 0 ? {} : { users: users.map(({ username }) => username) }),
      ...(roles.length === 0 ? {} : { roles }),
      ...(who.min_admin_level === undefined ? {} : { min_admin_level: who.min_admin_level }),
      ...(who.owner === true ? { owner: true } : {}),
    },
    userIds: users.map(({ id }) => id),
  };
}

/** Stores the question of a message's card, in the transaction that appends the message. */
export async function storeQuestion(ctx: AppContext, message: MessageRow, { row, userIds }: Question): Promise<void> {
  const { id, channel_id, agent_id, sender_name, created_at } = message;
  const place = { message_id: id, channel_id, agent_id: agent_id ?? 0, agent_name: sender_name, created_at };
  await insertInteraction(ctx.db, { ...place, ...row }, userIds);
  await questionChanged(ctx, message);
}
