import type { ApprovalRule } from "@parley/protocol/cards";
import type { Db } from "../../db/db.ts";
import type { Press } from "./card-rules.ts";
import type { AnswererRow, InteractionRow } from "./interactions.store.ts";
import { RANKS } from "./may-answer.ts";

/**
 * Returns the rule of the channel for a question, as it is now; null: none. Read it under the lock of the channel's row,
 * which each change of a setting takes.
 */
export async function ruleFor(
  db: Db,
  { kind, channel_id }: Pick<InteractionRow, "kind" | "channel_id">,
): Promise<ApprovalRule | null> {
  if (kind === "open") return null;
  const row = await db.selectFrom("channels").select("approval_rule").where("id", "=", channel_id).executeTakeFirst();
  return row?.approval_rule == null ? null : (JSON.parse(row.approval_rule) as ApprovalRule);
}

/** Returns whether somebody with this role may decide under a rule. No level on the site stands for a role here. */
export const hasRoleFor = (rule: ApprovalRule | null, role: AnswererRow["role"]): boolean =>
  rule === null || (role !== null && RANKS[role] >= RANKS[rule.role]);

/** Returns how many must approve: a rule only adds. */
export const quorumUnder = (rule: ApprovalRule | null, quorum: number): number => Math.max(quorum, rule?.quorum ?? 1);

/** Returns the presses that count for the outcome: under a rule those of people who have its role now. */
export async function pressesUnder<P extends Press>(
  db: Db,
  rule: ApprovalRule | null,
  channelId: number,
  presses: readonly P[],
): Promise<P[]> {
  const voters = presses.flatMap(({ userId }) => userId ?? []);
  if (rule === null || voters.length === 0) return [...presses];
  const members = await db
    .selectFrom("channel_members")
    .select(["user_id", "role"])
    .where("channel_id", "=", channelId)
    .where("user_id", "in", voters)
    .execute();
  const roles = new Map(members.map(({ user_id, role }) => [user_id, role]));
  return presses.filter(({ userId }) => userId !== null && hasRoleFor(rule, roles.get(userId) ?? null));
}
