import { startPurge } from "../channels/deleted/purge.ts";
import type { Module } from "../module.ts";
import { eraseEvents, eraseMessages, eraseReports } from "./erase.ts";
import { messageRoutes } from "./messages.routes.ts";
import { purgeSome } from "./purge.ts";

export const messages: Module = {
  name: "messages",
  routes: messageRoutes,
  erase: {
    messages: eraseMessages,
    events: eraseEvents,
    reports: eraseReports,
  },
  start: (ctx) => startPurge(ctx, purgeSome),
};
