import { describe, expect, test } from "bun:test";
import { ERRORS, type ErrorCode } from "@parley/protocol/errors";
import { model } from "@parley/protocol/values";
import { Validator } from "@seriousme/openapi-schema-validator";
import { Type } from "typebox";
import { type Route, route } from "../http/route.ts";
import { tagsOf } from "../module.ts";
import { allRoutes, MODULES } from "../modules.ts";
import { type OpenApiDocument, openApiDocument } from "./openapi.ts";

/** Types that browsers have and Bun lacks. */
const DOM_TYPES = [
  "Document",
  "Element",
  "FileList",
  "History",
  "Image",
  "Location",
  "Node",
  "Notification",
  "Selection",
];
/** Types of TypeScript's own library that are no values. */
const UTILITY_TYPES = [
  "Awaited",
  "Exclude",
  "Extract",
  "Omit",
  "Parameters",
  "Partial",
  "Pick",
  "Readonly",
  "Record",
  "Required",
];

const config = { publicUrl: null, secureCookies: false, value: "on" } as const;

/** Returns the codes a document lists for a status of an operation. */
function codesAt(document: OpenApiDocument, path: string, method: string, status: number): string[] {
  const response = document.paths[path]?.[method]?.responses[String(status)];
  const schema = response?.content?.["application/json"]?.schema as
    | { allOf: { properties?: { code: { enum: string[] } } }[] }
    | undefined;
  return schema?.allOf[1]?.properties?.code.enum ?? [];
}

const thing = model("Thing", "A thing.", { id: Type.Integer(), parent: Type.Union([Type.Integer(), Type.Null()]) });

const makeThing = route({
  name: "makeThing",
  method: "POST",
  path: "/api/things/:thing_id/parts",
  summary: "Make a part.",
  tag: "Things",
  auth: "session",
  documentedActs: "create channel",
  params: Type.Object({ thing_id: Type.Integer({ minimum: 1 }) }),
  query: Type.Object({ limit: Type.Optional(Type.Integer({ description: "How many." })), mode: Type.String() }),
  body: Type.Object({ name: Type.String(), like: thing }),
  invalid: { name: ["content_required", "message_too_long"] },
  readOnly: ["id"],
  rates: [{ policy: "userSend", by: "identity" }],
  idempotent: true,
  status: 201,
  answers: { 201: Type.Object({ thing }), 200: Type.Object({ thing }) },
  errors: ["slug_taken"],
  handle: () => ({}),
});

describe("a route in the OpenAPI document", () => {
  const document = openApiDocument({ routes: [makeThing], tags: {} }, config);
  const operation = document.paths["/api/things/{thing_id}/parts"]?.post;

  test("lists the codes of its declaration and of each check in the pipeline, by status", () => {
    const at = (status: number) => codesAt(document, "/api/things/{thing_id}/parts", "post", status);
    expect(at(400)).toEqual([
      "content_required",
      "field_not_writable",
      "idempotency_key_invalid",
      "invalid_id",
      "invalid_json",
      "invalid_limit",
      "invalid_request",
      "message_too_long",
    ]);
    expect(at(401)).toEqual(["session_required"]);
    expect(at(403)).toEqual(["cross_site", "second_factor_setup_required"]);
    expect(at(409)).toEqual(["idempotency_conflict", "slug_taken"]);
    expect(at(413)).toEqual(["body_too_large"]);
    expect(at(415)).toEqual(["unsupported_media_type"]);
    expect(at(429)).toEqual(["rate_limited"]);
    expect(at(500)).toEqual(["internal_error"]);
    expect(at(503)).toEqual(["storage_full", "storage_unavailable"]);
    expect(Object.keys(operation?.responses ?? {})).toEqual([
      "200",
      "201",
      "400",
      "401",
      "403",
      "409",
      "413",
      "415",
      "429",
      "500",
      "503",
    ]);
  });

  test("has its parameters, body and credentials", () => {
    const parameters = (operation?.parameters ?? []).map(({ name, in: place, required }) => [name, place, required]);
    expect(parameters).toEqual([
      ["thing_id", "path", true],
      ["limit", "query", false],
      ["mode", "query", true],
      ["Idempotency-Key", "header", false],
    ]);
    expect(operation?.requestBody?.required).toBe(true);
    expect(operation?.security).toEqual([{ session: [] }]);
    expect(operation?.description).toContain("`user-send`: 60 in 60 s per caller");
  });

  test("describes a record once and refers to it", () => {
    expect(document.components.schemas.Thing?.type).toBe("object");
    expect(operation?.responses["201"]?.content?.["application/json"]?.schema.properties).toEqual({
      thing: { $ref: "#/components/schemas/Thing" },
    });
  });

  test("lists the response headers of each status", () => {
    const headers = (status: string) => Object.keys(operation?.responses[status]?.headers ?? {});
    expect(headers("201")).toEqual(["X-Request-Id", "X-Api-Version", "X-Ignored", "RateLimit-Policy", "RateLimit"]);
    expect(headers("429")).toContain("Retry-After");
    expect(headers("400")).not.toContain("Retry-After");
  });
});

test("lists no error codes that an open page cannot return", () => {
  const page: Route = route({
    name: "getPage",
    method: "GET",
    path: "/page",
    summary: "A page.",
    tag: "Pages",
    auth: "open",
    documentedActs: "see the service",
    answers: { 200: Type.String() },
    mediaType: "text/html",
    errors: [],
    handle: () => new Response(),
  });
  const operation = openApiDocument({ routes: [page], tags: {} }, config).paths["/page"]?.get;
  expect(Object.keys(operation?.responses ?? {}).sort()).toEqual(["200", "400", "431", "500"]);
  expect(operation?.responses["200"]?.content).toEqual({ "text/html": { schema: { type: "string" } } });
});

test("names the cookie as the server does", () => {
  const schemes = openApiDocument(
    { routes: [], tags: {} },
    { publicUrl: "https://chat.example", secureCookies: true, value: "on" },
  ).components.securitySchemes;
  expect(schemes).toMatchObject({ session: { name: "__Host-parley_session" } });
});

describe("the OpenAPI document", () => {
  const routes = allRoutes();
  const tags = tagsOf(MODULES);
  const document = openApiDocument({ routes, tags }, config);

  test("describes bodies of JSON as JSON, and others as text", () => {
    const contents = Object.entries(document.paths).flatMap(([path, operations]) =>
      Object.values(operations).flatMap(({ responses }) =>
        Object.entries(responses).flatMap(([status, { content = {} }]) =>
          Object.entries(content).map(([type, { schema }]) => ({ place: `${path} ${status} ${type}`, type, schema })),
        ),
      ),
    );
    expect(contents.length).toBeGreaterThan(500);
    const isJson = (type: string) => /[/+]json$|^application\/x-ndjson$/.test(type);
    const wrong = contents.filter(({ type, schema }) => isJson(type) === (schema.type === "string"));
    expect(wrong.map(({ place }) => place)).toEqual([]);
  });

  test("names no schema as a type that generated clients use", () => {
    const taken = new Set([...Object.getOwnPropertyNames(globalThis), ...DOM_TYPES, ...UTILITY_TYPES]);
    expect(Object.keys(document.components.schemas).filter((name) => taken.has(name))).toEqual([]);
  });

  test("is valid OpenAPI 3.1", async () => {
    const result = await new Validator().validate({ ...structuredClone(document) });
    expect(result).toEqual({ valid: true });
  });

  test("has every route with every status and code it declares", () => {
    for (const { method, path, answers, errors, invalid } of routes) {
      const place = path.replace(/:(\w+)/g, "{$1}");
      const operation = document.paths[place]?.[method.toLowerCase()];
      expect(operation, `${method} ${path}`).toBeDefined();
      for (const status of Object.keys(answers))
        expect(operation?.responses, `${method} ${path}`).toHaveProperty(status);
      const codes = [...errors, ...Object.values(invalid ?? {}).flat()] as ErrorCode[];
      for (const code of codes) {
        expect(codesAt(document, place, method.toLowerCase(), ERRORS[code][0]), `${method} ${path}`).toContain(code);
      }
    }
  });

  test("has the socket's handshake", () => {
    expect(document.paths["/api/ws"]?.get?.responses).toHaveProperty("101");
    expect(codesAt(document, "/api/ws", "get", 429)).toEqual(["rate_limited", "too_many_sockets"]);
    const frames = { name: "frames", in: "query", required: false, schema: { enum: ["full", "compact"] } };
    expect(document.paths["/api/ws"]?.get?.parameters).toMatchObject([frames]);
  });

  test("says how the agents' event stream is resumed, and what only the stream sends", () => {
    const operation = document.paths["/api/agenthub/events"]?.get;
    expect(operation?.parameters).toMatchObject([{ name: "Last-Event-ID", in: "header", required: false }]);
    const schema = operation?.responses["200"]?.content?.["text/event-stream"]?.schema;
    for (const event of ["channel:reset", "stream:end"]) expect(JSON.stringify(schema)).toContain(event);
  });

  test("has a name for each operation, which is its own and never changes", () => {
    const ids = [...routes.map(({ name }) => name), "openSocket"];
    expect(new Set(ids).size).toBe(ids.length);
    for (const id of ids) expect(id).toMatch(/^[a-z]+([A-Z][a-z]+)*$/);
    // Programs that were generated from the document call these.
    expect(ids).toEqual(
      expect.arrayContaining(["sendAgentMessage", "listMessages", "sendMessage", "streamAgentEvents"]),
    );
  });

  test("describes each tag", () => {
    expect(document.tags.map(({ name }) => name)).toEqual(Object.keys(tags));
    expect(routes.filter(({ tag }) => tags[tag] === undefined)).toEqual([]);
  });

  test("has a licence, and with a public URL a contact", () => {
    expect(document.info).toMatchObject({ license: { identifier: "MIT" } });
    expect(document.info.contact).toBeUndefined();
    const { info, servers } = openApiDocument(
      { routes, tags },
      { publicUrl: "https://chat.example", secureCookies: true, value: "on" },
    );
    expect(info).toMatchObject({ contact: { url: "https://chat.example" } });
    expect(servers).toEqual([{ url: "https://chat.example" }]);
  });

  test("names the path's parameters as the route's schema does", () => {
    for (const { path, params } of routes) {
      const inPath = [...path.matchAll(/:(\w+)/g)].map(([, name]) => name);
      const inSchema = Object.keys((params as { properties?: object } | undefined)?.properties ?? {});
      expect(inSchema.sort(), path).toEqual(inPath.sort() as string[]);
    }
  });
});
