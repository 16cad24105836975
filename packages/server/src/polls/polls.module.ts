import { spanReaders } from "../event-log/event-spans.ts";
import { onMessageChange } from "../messages/message-hooks.ts";
import { ownFields } from "../messages/own-fields.ts";
import { onRemoval } from "../messages/removal.ts";
import type { Module } from "../module.ts";
import { startPolls } from "./close-due.ts";
import { erasePolls, exportVotes } from "./personal-data.ts";
import { ownVotes, pollReader } from "./poll-record.ts";
import { pollTools } from "./poll-tools.ts";
import { pollRoutes } from "./polls.routes.ts";
import { deletePolls } from "./polls.store.ts";

declare module "../audit/audit.ts" {
  interface AuditActs extends Record<"poll_close", true> {} // by somebody who moderates by their level
}

export const polls: Module = {
  name: "polls",
  routes: pollRoutes,
  tags: { Polls: "Questions with options for which people in a channel vote." },
  erase: { polls: erasePolls },
  exports: { poll_votes: exportVotes },
  tools: pollTools,
  guide: [
    {
      name: "polls",
      part: "more",
      about: "questions with options for which people vote",
      text: () => import("../../../../docs/guide/polls.md", { with: { type: "text" } }),
    },
  ],
  register(ctx) {
    ownFields(ctx, ownVotes);
    spanReaders(ctx, pollReader);
    onMessageChange(ctx, async (ctx, { id, deleted_at, card }) => {
      if (deleted_at !== null && card === null) await deletePolls(ctx.db, [id]);
    });
    onRemoval(ctx, (ctx, ids) => deletePolls(ctx.db, ids));
  },
  start: startPolls,
};
