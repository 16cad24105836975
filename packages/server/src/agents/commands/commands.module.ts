import { onPurgePass } from "../../channels/deleted/purge.ts";
import type { Module } from "../../module.ts";
import { commandRoutes } from "./commands.routes.ts";
import { deleteOfPurged } from "./commands.store.ts";

export const agentCommands: Module = {
  name: "agent commands",
  routes: commandRoutes,
  register: (ctx) => void onPurgePass(ctx, (ctx) => deleteOfPurged(ctx.db)),
};
