import { onMessageChange } from "../messages/message-hooks.ts";
import { ownFields } from "../messages/own-fields.ts";
import { onRemoval } from "../messages/removal.ts";
import type { Module } from "../module.ts";
import { eraseReactions, exportReactions } from "./personal-data.ts";
import { reactionRoutes } from "./reactions.routes.ts";
import { ownReactions } from "./reactions.service.ts";
import { deleteReactionsOf } from "./reactions.store.ts";

export const reactions: Module = {
  name: "reactions",
  routes: reactionRoutes,
  erase: { reactions: eraseReactions },
  exports: { reactions: exportReactions },
  register(ctx) {
    ownFields(ctx, ownReactions);
    onMessageChange(ctx, async (ctx, { id, deleted_at }) => {
      if (deleted_at !== null) await deleteReactionsOf(ctx.db, [id]);
    });
    onRemoval(ctx, (ctx, ids) => deleteReactionsOf(ctx.db, ids));
  },
};
