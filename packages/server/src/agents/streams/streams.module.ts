import { onRemoval } from "../../messages/removal.ts";
import type { Module } from "../../module.ts";
import { streamRoutes } from "./streams.routes.ts";
import { deleteOfMessages } from "./streams.store.ts";
import { startStreams } from "./watch-streams.ts";

export const streams: Module = {
  name: "streams",
  routes: streamRoutes,
  guide: [
    {
      name: "streaming",
      part: "agents",
      about: "how to show an answer while a model writes it, as one message",
      text: () => import("../../../../../docs/guide/streaming.md", { with: { type: "text" } }),
    },
  ],
  register: (ctx) => void onRemoval(ctx, (ctx, ids) => deleteOfMessages(ctx.db, ids)),
  start: startStreams,
};
