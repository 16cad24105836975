import { onAgentAdded, onAgentRemoved } from "../../channels/members/removal.ts";
import { beforeDeletion } from "../../channels/settings/settings.service.ts";
import type { Module } from "../../module.ts";
import { kindRoutes } from "./kinds.routes.ts";
import { noteAdded, noteDeletion, noteRemoved } from "./membership.ts";
import { startKinds } from "./start.ts";

export const kinds: Module = {
  name: "inbox kinds",
  routes: kindRoutes,
  register(ctx) {
    onAgentAdded(ctx, noteAdded);
    onAgentRemoved(ctx, noteRemoved);
    beforeDeletion(ctx, noteDeletion);
  },
  start: startKinds,
};
