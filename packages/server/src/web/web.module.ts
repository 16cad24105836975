import type { Module } from "../module.ts";
import { startSharedFiles } from "./shared-files.ts";
import { webRoutes } from "./web.routes.ts";

export const web: Module = {
  name: "web",
  routes: webRoutes,
  tags: { "Web page": "The web client and its files." },
  start: startSharedFiles,
};
