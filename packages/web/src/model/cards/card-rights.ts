import type { Interaction } from "@parley/protocol/cards";
import type { ChannelRole } from "@parley/protocol/models";

/** Why the reader cannot answer a card. */
export type CardRefusal = "ended" | "guest" | "others";

const RANKS: Readonly<Record<ChannelRole, number>> = { member: 1, admin: 2, owner: 3 };

/**
 * Returns why the reader cannot answer; null if they may. Only the server knows who owns the agent, so a card that asks its
 * owner stays open for everybody here.
 */
export function refusalOf(
  { status, who, expires_at }: Pick<Interaction, "status" | "who" | "expires_at">,
  reader: { self: string | null; level: number; role: ChannelRole | null },
): CardRefusal | null {
  if (status !== "open" || (expires_at !== null && Date.parse(expires_at) <= Date.now())) return "ended";
  const { self, level, role } = reader;
  if (self === null) return "guest";
  const isNamed = (who.users ?? []).some((name) => name.toLowerCase() === self.toLowerCase());
  if (isNamed || who.owner === true) return null;
  if (who.min_admin_level !== undefined && level >= who.min_admin_level) return null;
  // Answering joins a public channel.
  const rank = role === null ? RANKS.member : RANKS[role];
  return (who.roles ?? []).some((asked) => rank >= RANKS[asked]) ? null : "others";
}
