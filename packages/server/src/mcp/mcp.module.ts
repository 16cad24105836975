import { type Module, routesOf } from "../module.ts";
import { mcpRoutes } from "./mcp.routes.ts";
import { serverTools, toolsOf } from "./mcp-server.ts";

export const mcp: Module = {
  name: "mcp",
  routes: (all) => mcpRoutes(() => routesOf(all)),
  tags: { MCP: "The Model Context Protocol, for hosts such as Claude Code and Cursor." },
  guide: [
    {
      name: "mcp",
      part: "agents",
      about: "tools for hosts such as Claude Code, Codex, Cursor and VS Code, at /mcp",
      text: () => import("../../../../docs/guide/mcp.md", { with: { type: "text" } }),
    },
  ],
  register: (ctx, all) => serverTools(ctx, toolsOf(all)),
};
