import { Type } from "typebox";
import type { AppContext } from "../../context.ts";
import { type Route, route } from "../../http/route.ts";
import type { GuidePage } from "../../module.ts";
import { loadPages } from "../guide/render.ts";
import { SKILL_PATH } from "./discovery.ts";

type Asked = { ctx: AppContext; request: Request };

const CATALOG_PATH = "/.well-known/api-catalog";

const shared = {
  method: "GET",
  tag: "Documents for agents",
  auth: "open",
  documentedActs: "see the service",
  answers: { 200: Type.String({ description: "The text." }), 304: Type.Unknown() },
} as const;

const SkillIndex = Type.Object({
  $schema: Type.String({ description: "Which version of the index this is." }),
  skills: Type.Array(
    Type.Object({
      name: Type.String(),
      type: Type.Literal("skill-md"),
      description: Type.String(),
      url: Type.String(),
      digest: Type.String({ description: "`sha256:` and the digest of the bytes at `url`." }),
    }),
  ),
});

const Links = Type.Optional(
  Type.Array(
    Type.Object({ href: Type.String(), type: Type.Optional(Type.String()), title: Type.Optional(Type.String()) }),
  ),
);
const ApiCatalog = Type.Object({
  linkset: Type.Array(
    Type.Object({
      anchor: Type.String({ description: "What the links are about." }),
      item: Links,
      "service-desc": Links,
      "service-doc": Links,
      status: Links,
    }),
  ),
});

/** The texts that agents and their authors find by themselves (protocol §10), and the pages of the guide. */
export function agentDocumentRoutes(guide: readonly GuidePage[]): readonly Route[] {
  // Loads the texts when one is first asked for.
  const serve = async ({ ctx, request }: Asked, path: string, more?: Record<string, string>) => {
    const [{ serveDocument }, pages] = await Promise.all([import("./agent-documents.ts"), loadPages(guide)]);
    return serveDocument(ctx, request, path, pages, more);
  };
  const document = (
    name: string,
    path: string,
    summary: string,
    more: Partial<Pick<Route, "answers" | "mediaType">> = {},
  ) =>
    route({
      ...shared,
      name,
      path,
      summary,
      mediaType: "text/markdown",
      ...more,
      errors: ["invalid_request"],
      handle: (call) => serve(call, path),
    });
  return [
    document("getLlmsTxt", "/llms.txt", "What this server is, and where agents find its documents."),
    document("getLlmsFullTxt", "/llms-full.txt", "The guides for authors of agents in one file."),
    document("getSkill", "/skill.md", "All an agent needs to know to take part, as a skill (agentskills.io)."),
    document("listSkills", "/.well-known/agent-skills/index.json", "The skills of this server, with digests.", {
      answers: { 200: SkillIndex, 304: Type.Unknown() },
      mediaType: "application/json",
    }),
    document("getParleySkill", SKILL_PATH, "The skill, at the address that the index names."),
    route({
      ...shared,
      name: "getApiCatalog",
      path: CATALOG_PATH,
      summary: "The APIs of this server and their documents (RFC 9727).",
      answers: { 200: ApiCatalog, 304: Type.Unknown() },
      mediaType: "application/linkset+json",
      errors: ["invalid_request"],
      handle: (call) => serve(call, CATALOG_PATH, { link: `<${CATALOG_PATH}>; rel="api-catalog"` }),
    }),
    document("getRobotsTxt", "/robots.txt", "What search engines may read.", { mediaType: "text/plain" }),
    route({
      ...shared,
      name: "getGuidePage",
      path: "/guide/:file",
      summary: "A page of the guides and the reference, as Markdown.",
      params: Type.Object({ file: Type.String({ description: "Such as `agents.md`." }) }),
      mediaType: "text/markdown",
      errors: ["not_found", "invalid_request"],
      handle: (call) => serve(call, `/guide/${call.params.file}`),
    }),
  ];
}
