import type { AppContext } from "../../context.ts";
import type { Db } from "../../db/db.ts";
import { type ErasingStep, namePattern, withoutName } from "../../erasure.ts";
import { forgetPresser } from "../menus/menus.store.ts";
import { withdraw } from "./interactions.store.ts";

const AT_ONCE = 500;

/** Has the open questions of the agents that the user owns cancelled: their keys end with the account. */
export const withdrawQuestionsOf = (ctx: AppContext, userId: number): Promise<void> =>
  withdraw(ctx.db, { ownerId: userId }, "agent_gone");

/** Has the open questions of messages cancelled that are removed for good, in the removing transaction. */
export const withdrawQuestions = (ctx: AppContext, messageIds: readonly number[]): Promise<void> =>
  withdraw(ctx.db, { messageIds }, "message_deleted");

/**
 * Removes the user from the cards that named them and from the presses they made. Results stay, without the name. The
 * server's copy of a receipt that names them goes: it could not be changed without breaking its signature. The
 * steps of messages and events remove the name from what the channel shows.
 */
export const eraseCards: ErasingStep = async (ctx, { userId, username }, { a: after }) => {
  const rows = await tracesIn(ctx.db, { userId, username }, after);
  for (const { message_id, who, receipt } of rows) {
    const change = {
      who: withoutName(who, username) ?? who,
      receipt: receipt?.includes(JSON.stringify(JSON.stringify(username)).slice(1, -1)) ? null : receipt,
    };
    await ctx.db.updateTable("interactions").set(change).where("message_id", "=", message_id).execute();
  }
  const last = rows.at(-1);
  if (last !== undefined && rows.length === AT_ONCE) return { a: last.message_id, b: 0 };
  await ctx.db.updateTable("interaction_presses").set({ user_id: null }).where("user_id", "=", userId).execute();
  await forgetPresser(ctx.db, userId);
  await ctx.db.deleteFrom("interaction_users").where("user_id", "=", userId).execute();
  return null;
};

/** Returns interactions that name the user or that the user answered, by the id of their message. */
function tracesIn(
  db: Db,
  { userId, username }: { userId: number; username: string },
  after: number,
): Promise<{ message_id: number; who: string; receipt: string | null }[]> {
  return db
    .selectFrom("interactions as i")
    .select(["i.message_id", "i.who", "i.receipt"])
    .where("i.message_id", ">", after)
    .where((eb) =>
      eb.or([
        eb("i.who", "like", namePattern(username)),
        eb.exists(
          eb
            .selectFrom("interaction_presses as p")
            .select("p.id")
            .whereRef("p.message_id", "=", "i.message_id")
            .where("p.user_id", "=", userId),
        ),
        eb.exists(
          eb
            .selectFrom("interaction_users as n")
            .select("n.user_id")
            .whereRef("n.message_id", "=", "i.message_id")
            .where("n.user_id", "=", userId),
        ),
      ]),
    )
    .orderBy("i.message_id")
    .limit(AT_ONCE)
    .execute();
}
