import type { AppContext } from "../../context.ts";
import type { Db } from "../../db/db.ts";
import type { MessageRow } from "../../event-log/message-json.ts";

/** Admins of a channel who are notified of a card that asks them. */
const ADMINS_MAX = 100;

/**
 * Returns the users whom the open questions of these messages ask, by message: those whom a card names, the verified owner
 * of its agent, and the admins if it asks them. A card that asks every member, or the site's staff, notifies nobody: an
 * agent could call a whole channel by it.
 */
export async function peopleAsked(
  ctx: AppContext,
  messages: readonly Pick<MessageRow, "id" | "card">[],
): Promise<Map<number, number[]>> {
  const ids = messages.flatMap(({ id, card }) => (card === null ? [] : [id]));
  const asked = new Map<number, number[]>();
  for (const id of ids) asked.set(id, await askedBy(ctx.db, id));
  return asked;
}

async function askedBy(db: Db, messageId: number): Promise<number[]> {
  const row = await db
    .selectFrom("interactions")
    .leftJoin("agents", (join) =>
      join.onRef("agents.id", "=", "interactions.agent_id").on("agents.owner_verified", "=", 1),
    )
    .select(["interactions.who", "interactions.channel_id", "agents.owner_user_id"])
    .where("interactions.message_id", "=", messageId)
    .where("interactions.status", "=", "open")
    .executeTakeFirst();
  if (row === undefined) return [];
  const { roles = [], owner } = JSON.parse(row.who) as { roles?: string[]; owner?: boolean };
  const named = await db
    .selectFrom("interaction_users")
    .select("user_id")
    .where("message_id", "=", messageId)
    .execute();
  const managing = roles.includes("admin") ? (["admin", "owner"] as const) : (["owner"] as const);
  const asksAdmins = !roles.includes("member") && roles.length > 0;
  const admins = asksAdmins
    ? await db
        .selectFrom("channel_members")
        .select("user_id")
        .where("channel_id", "=", row.channel_id)
        .where("role", "in", managing)
        .orderBy("user_id")
        .limit(ADMINS_MAX)
        .execute()
    : [];
  const people = [...named, ...admins].map(({ user_id }) => user_id);
  if (owner === true && row.owner_user_id !== null) people.push(row.owner_user_id);
  return [...new Set(people)];
}
