import { onMessageChange } from "../messages/message-hooks.ts";
import type { Module } from "../module.ts";
import { indexMessages, startSearch } from "./index/message-index.ts";
import { searchRoutes } from "./search.routes.ts";

export const search: Module = {
  name: "search",
  routes: searchRoutes,
  guide: [
    {
      name: "search",
      part: "more",
      about: "finding messages",
      text: () => import("../../../../docs/guide/search.md", { with: { type: "text" } }),
    },
  ],
  register: (ctx) => void onMessageChange(ctx, (ctx, row) => indexMessages(ctx, [row])),
  start: startSearch,
};
