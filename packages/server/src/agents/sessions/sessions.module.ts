import { onPurgePass } from "../../channels/deleted/purge.ts";
import { onAgentDismissed } from "../../channels/members/removal.ts";
import { onQuestion } from "../../messages/cards/question-hook.ts";
import { onMessageChange } from "../../messages/message-hooks.ts";
import { onRemoval } from "../../messages/removal.ts";
import type { Module } from "../../module.ts";
import { wholeList, withTimes } from "../../user-export.ts";
import { endSessionsIn, followSessions, noteQuestion } from "./follow-sessions.ts";
import { sessionRoutes } from "./sessions.routes.ts";
import { deleteOfMessages, deleteOfPurged, sessionsOfOwner } from "./sessions.store.ts";

export const agentSessions: Module = {
  name: "agent sessions",
  routes: sessionRoutes,
  exports: {
    agent_sessions: wholeList(async (ctx, { userId }) => (await sessionsOfOwner(ctx.db, userId)).map(withTimes)),
  },
  register(ctx) {
    onQuestion(ctx, noteQuestion);
    onAgentDismissed(ctx, endSessionsIn);
    onRemoval(ctx, (ctx, ids) => deleteOfMessages(ctx.db, ids));
    onMessageChange(ctx, async (ctx, { id, deleted_at }) => {
      if (deleted_at !== null) await deleteOfMessages(ctx.db, [id]);
    });
    onPurgePass(ctx, (ctx) => deleteOfPurged(ctx.db));
  },
  start: followSessions,
};
