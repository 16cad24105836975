import { HumanText, response } from "@parley/protocol/values";
import { Type } from "typebox";
import { perServer } from "../context.ts";
import { fail } from "../errors.ts";
import { TextDocument } from "../http/answers/compressed.ts";
import { type Route, route } from "../http/route.ts";
import { guideOf, type Module, routesOf, tagsOf } from "../module.ts";
import { agentDocumentRoutes } from "./agents/agent-documents.routes.ts";
import { DISCOVERY_LINKS } from "./agents/discovery.ts";
import { apiPage } from "./api-page.ts";
import { asyncApiDocument } from "./asyncapi.ts";
import { eventsPage } from "./events-page.ts";
import { DOCUMENT_POLICY, DOCUMENT_STYLE } from "./html-page.ts";
import { openApiDocument } from "./openapi.ts";

const OPEN = { additionalProperties: true, description: "The document." };
const OpenApi = Type.Object({ openapi: Type.String() }, OPEN);
const AsyncApi = Type.Object({ asyncapi: Type.String() }, OPEN);
const PAGE = Type.String({ description: "The page." });

/** The answer to a caller who knows only the address. */
const WELCOME = {
  message:
    "This is the API of Parley, a chat server for people and agents. docs is for people, openapi for programs, skill and llms for agents.",
  api_version: "1",
  docs: "/docs",
  openapi: "/api/openapi.json",
  socket: "/api/ws",
  events: "/docs/events",
  asyncapi: "/api/asyncapi.json",
  llms: "/llms.txt",
  skill: "/skill.md",
  api_catalog: "/.well-known/api-catalog",
} as const;
const Path = Type.String({ description: "A path on this server." });
const Welcome = response({
  message: HumanText,
  api_version: Type.Literal("1"),
  docs: Path,
  openapi: Path,
  socket: Path,
  events: Path,
  asyncapi: Path,
  llms: Path,
  skill: Path,
  api_catalog: Path,
});

/**
 * The documents and their pages (protocol §10), built on first request. They describe all modules, including this one.
 */
export function documentRoutes(all: readonly Module[]): readonly Route[] {
  const described = () => ({ routes: routesOf(all), tags: tagsOf(all) });
  const openApi = perServer((ctx) => jsonDocument(openApiDocument(described(), ctx.config)));
  const asyncApi = perServer((ctx) => jsonDocument(asyncApiDocument(ctx.config)));
  const docs = perServer((ctx) => htmlDocument(apiPage(openApiDocument(described(), ctx.config))));
  const events = perServer((ctx) => htmlDocument(eventsPage(ctx.config)));
  const shared = {
    method: "GET",
    tag: "Documents",
    auth: "open",
    documentedActs: "see the service",
    errors: [],
  } as const;
  return [
    route({
      ...shared,
      name: "getApi",
      path: "/api",
      summary: "See what this server is, and where its API is described.",
      answers: { 200: Welcome },
      handle({ headers }) {
        headers.set("link", DISCOVERY_LINKS);
        return WELCOME;
      },
    }),
    route({
      ...shared,
      name: "getOpenApi",
      path: "/api/openapi.json",
      summary: "Get this API as an OpenAPI 3.1 document.",
      answers: { 200: OpenApi, 304: Type.Unknown() },
      handle: ({ ctx, request }) => openApi(ctx).respond(request, FRESH),
    }),
    route({
      ...shared,
      name: "getAsyncApi",
      path: "/api/asyncapi.json",
      summary: "Get the WebSocket API as an AsyncAPI 3.1 document.",
      answers: { 200: AsyncApi, 304: Type.Unknown() },
      handle: ({ ctx, request }) => asyncApi(ctx).respond(request, FRESH),
    }),
    route({
      ...shared,
      name: "getDocsPage",
      path: "/docs",
      summary: "Read the HTTP API as a web page.",
      answers: { 200: PAGE, 304: Type.Unknown() },
      mediaType: "text/html",
      handle: ({ ctx, request }) => docs(ctx).respond(request, PAGE_HEADERS),
    }),
    route({
      ...shared,
      name: "getEventsPage",
      path: "/docs/events",
      summary: "Read the WebSocket API as a web page.",
      answers: { 200: PAGE, 304: Type.Unknown() },
      mediaType: "text/html",
      handle: ({ ctx, request }) => events(ctx).respond(request, PAGE_HEADERS),
    }),
    route({
      ...shared,
      name: "getDocsAsset",
      path: "/docs/assets/:file",
      summary: "Get a file of the docs pages.",
      params: Type.Object({ file: Type.String() }),
      answers: { 200: Type.String({ description: "The file." }) },
      mediaType: "*/*",
      errors: ["not_found"],
      handle: ({ params }) => asset(params.file),
    }),
    ...agentDocumentRoutes(guideOf(all)),
  ];
}

/** A client asks each time whether the document has changed: a new release has a new one at the same path. */
const FRESH = { "cache-control": "no-cache" };

const jsonDocument = (document: object) => new TextDocument(JSON.stringify(document), "application/json");

const htmlDocument = (html: string) => new TextDocument(html, "text/html; charset=utf-8");
const PAGE_HEADERS = { ...FRESH, "content-security-policy": DOCUMENT_POLICY, "referrer-policy": "no-referrer" };

function asset(file: string): Response {
  if (file !== "style.css") throw fail("not_found");
  const headers = { "content-type": "text/css; charset=utf-8", "cache-control": "public, max-age=3600" };
  return new Response(DOCUMENT_STYLE, { headers });
}
