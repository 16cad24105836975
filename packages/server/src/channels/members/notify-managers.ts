import { notify } from "../../accounts/notices.ts";
import type { AppContext } from "../../context.ts";
import type { UserIdentity } from "../../http/identity.ts";

/** More admins than this are not told: the notices are written in the transaction of the act. */
const MANAGERS_MAX = 50;

/** Tells the owner and the admins of a channel that somebody else deleted or restored it. Call inside `transact`. */
export async function notifyManagers(
  ctx: AppContext,
  by: UserIdentity,
  channel: { id: number; name: string },
  code: "channel_deleted" | "channel_restored",
): Promise<void> {
  const managers = await ctx.db
    .selectFrom("channel_members")
    .select("user_id")
    .where("channel_id", "=", channel.id)
    .where("role", "in", ["owner", "admin"])
    .orderBy("user_id")
    .limit(MANAGERS_MAX)
    .execute();
  for (const { user_id } of managers) await notify(ctx, user_id, { code, channel, by });
}
