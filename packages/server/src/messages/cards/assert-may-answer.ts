import { isoTime } from "../../base/iso-time.ts";
import { type Channel, isOpen } from "../../channels/channel.ts";
import type { AppContext } from "../../context.ts";
import { fail } from "../../errors.ts";
import type { UserIdentity } from "../../http/identity.ts";
import { ADMINISTRATOR } from "../../http/site-levels.ts";
import { hasRoleFor, ruleFor } from "./channel-rule.ts";
import { type AnswererRow, answererOf, type InteractionRow } from "./interactions.store.ts";
import { mayAnswer } from "./may-answer.ts";

/** The parts of a question that say who is asked. */
type Asking = Pick<InteractionRow, "message_id" | "channel_id" | "agent_id" | "who" | "kind">;

/**
 * Checks the rights of now against who is asked, and the rule of the channel. `isEntering`: the user is about to become a member of an open channel.
 * Errors: `not_allowed_to_answer`, `muted`.
 */
export async function assertMayAnswer(
  ctx: AppContext,
  caller: UserIdentity,
  { row, channel, isEntering }: { row: Asking; channel: Channel; isEntering: boolean },
): Promise<void> {
  const found: AnswererRow | undefined = await answererOf(ctx.db, caller.userId, row);
  if (found === undefined) throw fail("not_allowed_to_answer");
  const joins = isEntering && isOpen(channel) && found.role === null;
  const role = joins ? "member" : found.role;
  // Read under the lock: a mute, a ban or a removal of a moment ago counts. The banned have lost their place.
  if (!isEntering && found.muted_until !== null && found.muted_until > ctx.clock.now())
    throw fail("muted", { details: { muted_until: isoTime(found.muted_until) } });
  // Administrators answer where they read without being members; others have no place outside.
  const isOutside = role === null && (isOpen(channel) || (found.admin_level ?? 0) < ADMINISTRATOR);
  if (isOutside || !mayAnswer(row, { ...found, role, userId: caller.userId, isDirect: channel.direct !== null }))
    throw fail("not_allowed_to_answer");
  const rule = await ruleFor(ctx.db, row);
  if (!hasRoleFor(rule, role))
    throw fail("not_allowed_to_answer", { message: `In this channel only people with the role ${rule?.role} decide.` });
}
