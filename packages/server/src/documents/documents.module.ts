import { type Module, routesOf } from "../module.ts";
import { documentRoutes } from "./documents.routes.ts";

export const documents: Module = {
  name: "documents",
  routes: (all) => documentRoutes(() => routesOf(all)),
};
