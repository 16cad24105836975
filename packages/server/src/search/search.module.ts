import { startSearch } from "../messages/index/indexing.ts";
import type { Module } from "../module.ts";
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
  start: startSearch,
};
