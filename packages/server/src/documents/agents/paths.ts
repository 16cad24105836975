export const SKILL_PATH = "/.well-known/agent-skills/parley/SKILL.md";

/** The links by which clients find the documents from any page (RFC 8288, RFC 8631, RFC 9727). */
export const DISCOVERY_LINKS = [
  '</.well-known/api-catalog>; rel="api-catalog"',
  '</api/openapi.json>; rel="service-desc"; type="application/json"',
  '</docs>; rel="service-doc"; type="text/html"',
  '</llms.txt>; rel="alternate"; type="text/markdown"; title="For agents"',
].join(", ");
