import type { Module } from "../../module.ts";
import { reactionRoutes } from "./reactions.routes.ts";

export const reactions: Module = {
  name: "reactions",
  routes: reactionRoutes,
};
