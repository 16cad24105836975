import { type Module, routesOf } from "../module.ts";
import { mcpRoutes } from "./mcp.routes.ts";

export const mcp: Module = {
  name: "mcp",
  routes: (all) => mcpRoutes(() => routesOf(all)),
};
