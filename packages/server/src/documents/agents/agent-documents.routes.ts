import { Type } from "typebox";
import { type Route, route } from "../../http/route.ts";
import { SKILL_PATH } from "./paths.ts";

const shared = {
  method: "GET",
  tag: "Documents for agents",
  auth: "open",
  documentedActs: "see the service",
  answers: { 200: Type.String({ description: "The text." }), 304: Type.Unknown() },
} as const;

/** Loads the texts, which take 300 KB, when one is first asked for. */
const documents = () => import("./agent-documents.ts");

/** The texts that agents and their authors find by themselves (protocol §10). */
export function agentDocumentRoutes(): readonly Route[] {
  const document = (path: string, summary: string, mediaType = "text/markdown", more: Record<string, string> = {}) =>
    route({
      ...shared,
      path,
      summary,
      mediaType,
      errors: ["invalid_request"],
      handle: async ({ ctx, request }) => (await documents()).serveDocument(ctx, request, path, more),
    });
  return [
    document("/llms.txt", "What this server is, and where agents find its documents."),
    document("/llms-full.txt", "The guides for authors of agents in one file."),
    document("/skill.md", "All an agent needs to know to take part, as a skill (agentskills.io)."),
    document("/.well-known/agent-skills/index.json", "The skills of this server, with digests.", "application/json"),
    document(SKILL_PATH, "The skill, at the address that the index names."),
    document(
      "/.well-known/api-catalog",
      "The APIs of this server and their documents (RFC 9727).",
      "application/linkset+json",
      {
        link: '</.well-known/api-catalog>; rel="api-catalog"',
      },
    ),
    document("/robots.txt", "What search engines may read.", "text/plain"),
    route({
      ...shared,
      path: "/guide/:file",
      summary: "A page of the guides and the reference, as Markdown.",
      params: Type.Object({ file: Type.String({ description: "Such as `agents.md`." }) }),
      mediaType: "text/markdown",
      errors: ["not_found", "invalid_request"],
      handle: async ({ ctx, request, params }) =>
        (await documents()).serveDocument(ctx, request, `/guide/${params.file}`),
    }),
  ];
}
