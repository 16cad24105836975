import type { ApprovalRule, Interaction } from "@parley/protocol/cards";
import type { ChannelRole } from "@parley/protocol/models";

/** Why the reader cannot answer a card. `role`: the channel's rule asks for a role that the reader lacks. */
export type CardRefusal = "ended" | "guest" | "others" | "role";

const RANKS: Readonly<Record<ChannelRole, number>> = { member: 1, admin: 2, owner: 3 };

/** The reader of a card. */
interface Reader {
  self: string | null;
  level: number;
  role: ChannelRole | null;
  /** The rule of the card's channel. */
  rule: ApprovalRule | null;
}

type Asking = Pick<Interaction, "kind" | "status" | "who" | "expires_at">;

/**
 * Returns why the reader cannot answer; null if they may. Only the server knows who owns the agent, so a card that asks its
 * owner stays open for everybody here whom the channel's rule allows.
 */
export function refusalOf({ kind, status, who, expires_at }: Asking, reader: Reader): CardRefusal | null {
  if (status !== "open" || (expires_at !== null && Date.parse(expires_at) <= Date.now())) return "ended";
  const { self, level, role, rule } = reader;
  if (self === null) return "guest";
  // Answering joins a public channel.
  const rank = role === null ? RANKS.member : RANKS[role];
  const isAsked =
    (who.users ?? []).some((name) => name.toLowerCase() === self.toLowerCase()) ||
    who.owner === true ||
    (who.min_admin_level !== undefined && level >= who.min_admin_level) ||
    (who.roles ?? []).some((asked) => rank >= RANKS[asked]);
  if (!isAsked) return "others";
  // The rule only narrows, and no level on the site stands for a role.
  const isRuled = kind === "approval" || kind === "choice";
  return isRuled && rule !== null && rank < RANKS[rule.role] ? "role" : null;
}

/** Returns how many people must approve. A rule that was set after the card was sent counts, too. */
export const quorumOf = ({ kind, quorum }: Interaction, rule: ApprovalRule | null): number =>
  kind === "approval" ? Math.max(quorum, rule?.quorum ?? 1) : quorum;
