import type { Db } from "../../db/db.ts";
import { type PageAfter, pagedList } from "../../user-export.ts";

interface ExportedFollow {
  root_id: number;
  channel_id: number;
  is_following: number;
  last_read_seq: number;
}

function threadFollowsAfter(db: Db, { userId, last, limit }: PageAfter<ExportedFollow>): Promise<ExportedFollow[]> {
  return db
    .selectFrom("thread_follows")
    .select(["root_id", "channel_id", "is_following", "last_read_seq"])
    .where("user_id", "=", userId)
    .where("root_id", ">", last?.root_id ?? 0)
    .orderBy("root_id")
    .limit(limit)
    .execute();
}

export const exportFollows = pagedList(threadFollowsAfter, ({ root_id, is_following, ...row }) => ({
  message_id: root_id,
  following: is_following === 1,
  ...row,
}));
