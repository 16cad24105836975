import { createHash } from "node:crypto";
import { skillField } from "./skill.ts";

/** Returns the index of skills at `/.well-known/agent-skills/index.json`. The digest is that of the bytes served. */
export function skillIndex(base: string, skill: string): object {
  return {
    $schema: "https://schemas.agentskills.io/discovery/0.2.0/schema.json",
    skills: [
      {
        name: skillField("name"),
        type: "skill-md",
        description: skillField("description"),
        url: `${base}${SKILL_PATH}`,
        digest: `sha256:${createHash("sha256").update(skill).digest("hex")}`,
      },
    ],
  };
}

/** Returns the catalog of the APIs at `/.well-known/api-catalog` (RFC 9727) as a link set (RFC 9264). */
export function apiCatalog(base: string): object {
  const api = {
    anchor: `${base}/api`,
    "service-desc": [{ href: `${base}/api/openapi.json`, type: "application/json", title: "OpenAPI 3.1" }],
    "service-doc": [
      { href: `${base}/docs`, type: "text/html" },
      { href: `${base}/guide/agents.md`, type: "text/markdown" },
      { href: `${base}/llms.txt`, type: "text/markdown" },
    ],
    status: [{ href: `${base}/livez`, type: "application/json" }],
  };
  const socket = {
    anchor: `${base}/api/ws`,
    "service-desc": [{ href: `${base}/api/asyncapi.json`, type: "application/json", title: "AsyncAPI 3.1" }],
    "service-doc": [{ href: `${base}/docs/events`, type: "text/html" }],
  };
  const tools = {
    anchor: `${base}/mcp`,
    "service-doc": [{ href: `${base}/guide/mcp.md`, type: "text/markdown", title: "Model Context Protocol" }],
  };
  const all = [api, socket, tools];
  const item = all.map(({ anchor }) => ({ href: anchor }));
  return { linkset: [{ anchor: `${base}/.well-known/api-catalog`, item }, ...all] };
}

/**
 * Returns robots.txt: the documents may be indexed. The API answers with what people write, which is not for search
 * engines.
 */
export function robots(base: string): string {
  return `# Agents: ${base}/llms.txt
User-agent: *
Allow: /api/openapi.json
Allow: /api/asyncapi.json
Disallow: /api/
`;
}

export const SKILL_PATH = "/.well-known/agent-skills/parley/SKILL.md";

/** The links by which clients find the documents from any page (RFC 8288, RFC 8631, RFC 9727). */
export const DISCOVERY_LINKS = [
  '</.well-known/api-catalog>; rel="api-catalog"',
  '</api/openapi.json>; rel="service-desc"; type="application/json"',
  '</docs>; rel="service-doc"; type="text/html"',
  '</llms.txt>; rel="alternate"; type="text/markdown"; title="For agents"',
].join(", ");
