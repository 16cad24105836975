import { onRemoval } from "../../messages/removal.ts";
import type { Module } from "../../module.ts";
import { streamRoutes } from "./streams.routes.ts";
import { deleteOfMessages } from "./streams.store.ts";
import { startStreams } from "./watch-streams.ts";

export const streams: Module = {
  name: "streams",
  routes: streamRoutes,
  register: (ctx) => void onRemoval(ctx, (ctx, ids) => deleteOfMessages(ctx.db, ids)),
  start: startStreams,
};
