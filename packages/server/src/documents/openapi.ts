import { RATES } from "@parley/protocol/limits";
import { SocketQuery } from "@parley/protocol/socket-query";
import { ErrorResponse } from "@parley/protocol/values";
import type { TSchema } from "typebox";
import type { Config } from "../config/config.ts";
import { describeActs } from "../http/rights.ts";
import type { Auth, Route } from "../http/route.ts";
import { failures, HEADERS, type ResponseObject, responsesOf } from "./responses.ts";
import { byStatus } from "./route-errors.ts";
import { Components, type JsonSchema } from "./schemas.ts";
import { webhooksObject } from "./webhooks-object.ts";

/** The parts of the server that a document describes. */
export interface Described {
  routes: readonly Route[];
  /** The subjects of the tags, in order. */
  tags: Readonly<Record<string, string>>;
}

/** The parts of an OpenAPI 3.1 document that this code reads. */
export interface OpenApiDocument {
  openapi: string;
  info: JsonSchema;
  servers: JsonSchema[];
  tags: JsonSchema[];
  paths: Record<string, Record<string, Operation>>;
  webhooks: JsonSchema;
  components: JsonSchema & { schemas: Record<string, JsonSchema> };
}

export interface Operation {
  operationId: string;
  parameters?: JsonSchema[];
  requestBody?: JsonSchema;
  responses: Record<string, ResponseObject>;
  [field: string]: unknown;
}

type DocumentConfig = Pick<Config, "publicUrl" | "secureCookies" | "value">;

/** Describes every route with every status it returns (protocol §0): those it declares, and those of the pipeline. */
export function openApiDocument({ routes, tags }: Described, config: DocumentConfig): OpenApiDocument {
  const components = new Components();
  components.refer(ErrorResponse);
  const paths: OpenApiDocument["paths"] = {};
  for (const route of routes) {
    const path = route.path.replace(/:([A-Za-z_]+)/g, "{$1}");
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation(route, components) };
  }
  paths["/api/ws"] = { get: HANDSHAKE };
  const webhooks = webhooksObject(components, config);
  return {
    openapi: "3.1.0",
    info: {
      title: "Parley",
      version: "1",
      summary: "Chat where people and agents share channels.",
      description: INTRODUCTION,
      license: { name: "MIT", identifier: "MIT" },
      ...(config.publicUrl === null
        ? {}
        : { contact: { name: "The operators of this server", url: config.publicUrl } }),
    },
    servers: [{ url: config.publicUrl ?? "/" }],
    tags: tagObjects({ routes, tags }),
    paths,
    webhooks,
    components: { schemas: components.schemas, headers: HEADERS, securitySchemes: securitySchemes(config) },
  };
}

function tagObjects({ routes, tags }: Described): JsonSchema[] {
  const used = new Set([...routes.map(({ tag }) => tag), "Live"]);
  const known = Object.keys(tags).filter((name) => used.has(name));
  return [...new Set([...known, ...used])].map((name) => ({ name, description: tags[name] ?? name }));
}

const INTRODUCTION = `Every success has \`success: true\`; every error has \`success: false\`, a text in \`error\` and a stable \`code\` to branch on.
Unknown paths return 404 \`not_found\`; unsupported methods return 405 \`method_not_allowed\` with \`Allow\`. GET routes
also answer HEAD. Booleans in a query are \`true\`, \`false\`, \`1\` or \`0\`. Unknown body fields are ignored.

Live events and commands of the WebSocket \`/api/ws\` are described at [/docs/events](/docs/events) and, for machines, in
[/api/asyncapi.json](/api/asyncapi.json).`;

function operation(route: Route, components: Components): Operation {
  const parameters = [
    ...fieldParameters("path", route.params, components),
    ...fieldParameters("query", route.query, components),
    ...(route.reads ?? []).map((header) => ({ ...header, in: "header", schema: { type: "string" } })),
    ...(route.idempotent === true ? [IDEMPOTENCY_KEY] : []),
  ];
  return {
    operationId: route.name,
    tags: [route.tag],
    summary: route.summary,
    description: describe(route),
    security: SECURITY[route.auth as Auth],
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(route.body === undefined
      ? {}
      : {
          requestBody: {
            required: route.bodyOptional !== true,
            content: requestContent(route, components.refer(route.body)),
          },
        }),
    responses: responsesOf(route, components),
  };
}

/** Returns the body by media type: JSON, or a form whose texts `body` describes. */
function requestContent({ upload }: Route, body: JsonSchema): JsonSchema {
  if (upload === undefined) return { "application/json": { schema: body } };
  const { field, mediaType, description } = upload;
  const file = { type: "string", format: "binary", contentMediaType: mediaType, description };
  const { properties = {}, required = [] } = body as { properties?: JsonSchema; required?: string[] };
  const schema = { ...body, properties: { [field]: file, ...properties }, required: [field, ...required] };
  return { "multipart/form-data": { schema, encoding: { [field]: { contentType: mediaType } } } };
}

/** The one endpoint outside the routes: the gateway's answers before the socket is open (gateway/handshake.ts). */
const HANDSHAKE: Operation = {
  operationId: "openSocket",
  tags: ["Live"],
  summary: "Open a WebSocket.",
  description:
    "The session's cookie authenticates the socket; without it the client is a guest until `auth:login`. See [/docs/events](/docs/events).",
  security: [{}, { session: [] }],
  parameters: fieldParameters("query", SocketQuery, new Components()),
  responses: {
    "101": { description: "The socket is open." },
    default: { description: "The socket was not opened." },
    ...failures(
      byStatus([
        "invalid_request",
        "cross_site",
        "rate_limited",
        "too_many_sockets",
        "internal_error",
        "storage_unavailable",
        "draining",
      ]),
    ),
  },
};

const CALLERS: Record<Auth, string> = {
  open: "anybody; credentials are ignored",
  visitor: "anybody; a session is used when one is sent",
  guest: "anybody, unless PARLEY_GUEST_READ is off; a session or an API key is used when one is sent",
  anyone: "anybody; a session or an API key is used when one is sent",
  session: "a person with a session",
  agent: "an agent with an API key",
  member: "a person with a session, or an agent with an API key",
};

function describe(route: Route): string {
  const rates = (route.rates ?? []).map(({ policy, by }) => {
    const { name, quota, window } = RATES[policy];
    return `\`${name}\`: ${quota} in ${window} s per ${by === "address" ? "address" : "caller"}`;
  });
  return [
    `**Callers**: ${CALLERS[route.auth as Auth]}.`,
    `**Rights**: ${describeActs(route.documentedActs)}.`,
    ...(rates.length === 0 ? [] : [`**Rates**, besides the general one: ${rates.join("; ")}.`]),
  ].join("\n\n");
}

const SECURITY: Record<Auth, JsonSchema[]> = {
  open: [],
  visitor: [{}, { session: [] }],
  guest: [{}, { session: [] }, { apiKey: [] }],
  anyone: [{}, { session: [] }, { apiKey: [] }],
  session: [{ session: [] }],
  agent: [{ apiKey: [] }],
  member: [{ session: [] }, { apiKey: [] }],
};

function securitySchemes(config: DocumentConfig): JsonSchema {
  const cookie = config.secureCookies ? "__Host-parley_session" : "parley_session";
  return {
    session: { type: "apiKey", in: "cookie", name: cookie, description: "Set by register and login." },
    apiKey: { type: "http", scheme: "bearer", bearerFormat: "ply_<id>_<secret>", description: "An agent's API key." },
  };
}

const IDEMPOTENCY_KEY: JsonSchema = {
  name: "Idempotency-Key",
  in: "header",
  required: false,
  description:
    "Makes the request repeatable for 24 hours: the same key and body return the first response with `deduplicated: true`.",
  schema: { type: "string", minLength: 8, maxLength: 255 },
};

function fieldParameters(place: "path" | "query", schema: TSchema | undefined, components: Components): JsonSchema[] {
  if (schema === undefined) return [];
  const { properties, required = [] } = schema as { properties?: Record<string, TSchema>; required?: string[] };
  return Object.entries(properties ?? {}).map(([name, field]) => {
    const { description, ...rest } = components.refer(field);
    return {
      name,
      in: place,
      required: place === "path" || required.includes(name),
      ...(description === undefined ? {} : { description }),
      schema: rest,
    };
  });
}
