import type { Db } from "../../db/db.ts";
import { wholeList, withTimes } from "../../user-export.ts";

function agentNoticesOf(db: Db, userId: number) {
  return db
    .selectFrom("mentions")
    .innerJoin("agents", "agents.id", "mentions.agent_id")
    .select(["mentions.agent_id", "mentions.notice", "mentions.created_at"])
    .where("agents.owner_user_id", "=", userId)
    .where("agents.owner_verified", "=", 1)
    .where("mentions.kind", "=", "notice")
    .orderBy("mentions.id")
    .execute();
}

export const exportAgentNotices = wholeList(async (ctx, { userId }) =>
  (await agentNoticesOf(ctx.db, userId)).map(({ notice, ...row }) => ({
    ...withTimes(row),
    ...(JSON.parse(notice ?? "{}") as object),
  })),
);
