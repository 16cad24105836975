import type { SignedDecision } from "@parley/protocol/card-calls";
import type { ApprovalRule, CardResult, Interaction, Who } from "@parley/protocol/cards";
import { DELETED_USER } from "@parley/protocol/privacy";
import { isoTime, isoTimeOrNull } from "../../base/iso-time.ts";
import { lastOfEach } from "./card-rules.ts";
import type { InteractionRow, PressRow } from "./interactions.store.ts";

/** Returns the record of an interaction. `presses` are those of `pressesOf`. */
export function interactionRecord(row: InteractionRow, presses: readonly PressRow[]): Interaction {
  const counted = row.kind === "open" ? presses : lastOfEach(presses.map(withUser));
  const decisive = presses.find(({ id }) => id === row.result_press_id);
  return {
    interaction_id: row.message_id,
    message_id: row.message_id,
    kind: row.kind,
    who: JSON.parse(row.who) as Who,
    quorum: row.quorum,
    status: row.status,
    expires_at: isoTime(row.expires_at),
    votes: counted.map((press) => ({
      username: nameOf(press),
      action_id: press.action_id,
      at: isoTime(press.created_at),
    })),
    vote_count: row.kind === "open" ? row.press_count : counted.length,
    result: decisive === undefined ? null : resultOf(decisive),
    decided_at: isoTimeOrNull(row.decided_at),
    payload_hash: row.payload_hash,
  };
}

/** Returns what a press answered. */
export const resultOf = (press: PressRow): CardResult => ({
  action_id: press.action_id,
  value: press.choice === "" ? null : press.choice,
  username: nameOf(press),
  at: isoTime(press.created_at),
});

/** Returns what the server signs when an interaction has ended. */
export function decisionOf(
  record: Interaction,
  { channel_id, agent_id, kind, payload_hash }: InteractionRow,
  rule: ApprovalRule | null,
): SignedDecision {
  const { status, decided_at } = record;
  if (status === "open" || decided_at === null) throw new Error("An open interaction has no decision.");
  return {
    type: "parley.decision.v1",
    interaction_id: record.interaction_id,
    channel_id,
    agent_id,
    kind,
    who: record.who,
    quorum: record.quorum,
    ...(rule === null ? {} : { rule }),
    status,
    payload_hash,
    votes: record.votes,
    result: record.result,
    decided_at,
  };
}

const nameOf = ({ username }: PressRow): string => username ?? DELETED_USER;

/** Returns the press with the fields of the rules. */
export const withUser = (press: PressRow) => ({ ...press, userId: press.user_id, action: press.action_id });
