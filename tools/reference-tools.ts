import { allTools } from "../packages/server/src/mcp/mcp-server.ts";
import type { Effects, Tool } from "../packages/server/src/mcp/tool.ts";
import { allRoutes, MODULES } from "../packages/server/src/modules.ts";

/** Returns the table of MCP's tools: their arguments, the routes of REST that they call, and the hints for hosts. */
export function toolsTable(): string {
  const addresses = new Map(allRoutes().map(({ name, method, path }) => [name, `${method} \`${path}\``]));
  const row = ({ name, input, routes, effects }: Tool): string => {
    const called = routes.map((route) => addresses.get(route) ?? missing(name, route));
    return `| \`${name}\` | ${argumentsOf(input)} | ${called.join(", ")} | ${hintsOf(effects)} |`;
  };
  return ["| Tool | Arguments | Routes | Hints |", "|---|---|---|---|", ...allTools(MODULES).map(row)].join("\n");
}

function argumentsOf({ properties, required }: Tool["input"]): string {
  const needed: readonly string[] = required ?? [];
  const names = Object.keys(properties).map((name) => (needed.includes(name) ? name : `${name}?`));
  return names.length === 0 ? "" : `\`${names.join(", ")}\``;
}

function hintsOf({ readOnlyHint, idempotentHint, destructiveHint }: Effects): string {
  if (readOnlyHint) return "reads";
  return [...(idempotentHint ? ["idempotent"] : []), ...(destructiveHint ? ["destructive"] : [])].join(", ");
}

function missing(tool: string, route: string): never {
  throw new Error(`The tool ${tool} calls ${route}, and no route has this name.`);
}
