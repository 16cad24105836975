import type { Module } from "../../module.ts";
import { eraseReactions } from "./erase-reactions.ts";
import { exportReactions } from "./export.ts";
import { reactionRoutes } from "./reactions.routes.ts";

export const reactions: Module = {
  name: "reactions",
  routes: reactionRoutes,
  erase: { reactions: eraseReactions },
  exports: { reactions: exportReactions },
};
