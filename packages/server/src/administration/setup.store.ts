import type { SetupSteps } from "@parley/protocol/site";
import type { Db } from "../db/db.ts";

/** Returns which first steps with the site are done (protocol §11). `ownerId`: the user who takes them. */
export async function findSetupSteps(db: Db, ownerId: number): Promise<SetupSteps> {
  const row = await db
    .selectNoFrom((eb) => [
      eb
        .exists(
          eb
            .selectFrom("users")
            .select("id")
            .where("id", "!=", ownerId)
            .where("erased_at", "is", null)
            // Anonymous owners of claimed keys have none.
            .where("password_hash", "is not", null),
        )
        .as("people"),
      eb.exists(eb.selectFrom("agents").select("id").where("last_seen_at", "is not", null)).as("agent"),
      eb
        .exists(
          eb
            .selectFrom("channels")
            .leftJoin("direct_channels as direct", "direct.channel_id", "channels.id")
            .leftJoin("direct_agents", "direct_agents.channel_id", "channels.id")
            .select("channels.id")
            .where("channels.slug", "!=", "general")
            .where("channels.deleted_at", "is", null)
            .where("direct.channel_id", "is", null)
            .where("direct_agents.channel_id", "is", null),
        )
        .as("channel"),
    ])
    .executeTakeFirstOrThrow();
  return { people: Boolean(row.people), agent: Boolean(row.agent), channel: Boolean(row.channel) };
}
