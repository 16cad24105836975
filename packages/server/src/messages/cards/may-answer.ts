import type { Who } from "@parley/protocol/cards";
import type { AnswererRow, InteractionRow } from "./interactions.store.ts";

/** The roles of a channel in their order. */
export const RANKS = { member: 1, admin: 2, owner: 3 } as const;

/** Returns whether a user is among those whom an interaction asks (protocol §12.6). */
export function mayAnswer(
  { who: json }: Pick<InteractionRow, "who">,
  { userId, named, owner_id, admin_level, role, isDirect }: AnswererRow & { userId: number; isDirect: boolean },
): boolean {
  const who = JSON.parse(json) as Who;
  if (named !== null) return true;
  if (who.owner === true && owner_id === userId) return true;
  if (who.min_admin_level !== undefined && (admin_level ?? 0) >= who.min_admin_level) return true;
  // Nobody manages a direct conversation: there both are members.
  const rank = role === null ? 0 : isDirect ? RANKS.member : RANKS[role];
  return (who.roles ?? []).some((asked) => rank >= RANKS[asked]);
}
