import type { Db } from "../db/db.ts";
import { paddedList } from "../db/statements/sized-statement.ts";
import type { MessageRow } from "../event-log/message-json.ts";
import type { Identity } from "../http/identity.ts";
import { channelsInScope } from "../http/key-scopes.ts";

/** Returns the messages that are not deleted, newest first. */
export function liveMessages(db: Db, ids: readonly number[]): Promise<MessageRow[]> {
  return db
    .selectFrom("messages")
    .selectAll()
    .where("id", "in", paddedList(ids))
    .where("deleted_at", "is", null)
    .orderBy("id", "desc")
    .execute();
}

/**
 * Returns the channels that are public or have the caller as a member; null when there are more than `most`. Not an
 * access check.
 */
export async function fewChannels(db: Db, caller: Identity, most: number): Promise<number[] | null> {
  const scope = channelsInScope(caller);
  const rows = await db
    .selectFrom("channels")
    .select("id")
    .where("deleted_at", "is", null)
    .$if(scope !== null, (all) => all.where("id", "in", [...(scope ?? [])]))
    .where((eb) =>
      eb.or([
        eb.and([eb("is_private", "=", 0), eb("price", "is", null)]),
        eb("id", "in", (own) =>
          own
            .selectFrom("channel_members")
            .select("channel_id")
            .where("user_id", "=", caller.kind === "user" ? caller.userId : 0),
        ),
        eb("id", "in", (added) =>
          added
            .selectFrom("channel_agents")
            .select("channel_id")
            .where("agent_id", "=", caller.kind === "agent" ? caller.agentId : 0),
        ),
      ]),
    )
    .limit(most + 1)
    .execute();
  return rows.length > most ? null : rows.map(({ id }) => id);
}
