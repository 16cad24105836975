import { onRemoval } from "../messages/removal.ts";
import type { Module } from "../module.ts";
import { forwardRoutes } from "./forwards.routes.ts";
import { deleteForwards } from "./forwards.store.ts";

export const forwards: Module = {
  name: "forwards",
  routes: forwardRoutes,
  register(ctx) {
    onRemoval(ctx, (ctx, ids) => deleteForwards(ctx.db, ids));
  },
};
