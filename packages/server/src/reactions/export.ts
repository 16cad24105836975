import type { Db } from "../db/db.ts";
import { type PageAfter, pagedList } from "../user-export.ts";

interface ExportedReaction {
  message_id: number;
  reaction: string;
  created_at: number;
}

function reactionsAfter(db: Db, { userId, last, limit }: PageAfter<ExportedReaction>): Promise<ExportedReaction[]> {
  const [message, reaction] = [last?.message_id ?? 0, last?.reaction ?? ""];
  return db
    .selectFrom("reactions")
    .select(["message_id", "reaction", "created_at"])
    .where("actor_kind", "=", "user")
    .where("actor_id", "=", userId)
    .where((eb) =>
      eb.or([eb("message_id", ">", message), eb.and([eb("message_id", "=", message), eb("reaction", ">", reaction)])]),
    )
    .orderBy("message_id")
    .orderBy("reaction")
    .limit(limit)
    .execute();
}

export const exportReactions = pagedList(reactionsAfter);
