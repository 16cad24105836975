import { ERRORS, type ErrorCode } from "@parley/protocol/errors";
import type { TSchema } from "typebox";
import type { Route } from "../http/route.ts";
import { errorsByStatus } from "./route-errors.ts";
import type { Components, JsonSchema } from "./schemas.ts";

export interface ResponseObject {
  description: string;
  headers?: JsonSchema;
  content?: Record<string, { schema: JsonSchema }>;
}

const JSON_TYPE = "application/json";

/** Answers without a body. */
const BODILESS: ReadonlySet<string> = new Set(["202", "204", "302", "304", "416"]);

const SUCCESSES: Record<string, string> = {
  200: "Done.",
  201: "Created.",
  202: "Accepted, without a body.",
  204: "Done, without a body.",
  206: "The part of the file that `Range` asks for.",
  302: "Leads to the address in `Location`.",
  304: "Not changed.",
  416: "The file has no such part; `Content-Range` says its size.",
};

/** Returns the schemas of a route's bodies at a status, by media type, without errors that have a code. */
export function bodiesAt(route: Route, status: number): Record<string, TSchema> {
  const schema = (route.answers as Record<number, TSchema | undefined>)[status];
  const isEmpty = schema === undefined || BODILESS.has(String(status));
  return { ...(isEmpty ? {} : { [route.mediaType ?? JSON_TYPE]: schema }), ...route.otherForms?.[status] };
}

/** Returns all answers of a route, by status. */
export function responsesOf(route: Route, components: Components): Record<string, ResponseObject> {
  const errors = errorsByStatus(route);
  const successes = Object.keys(route.answers).map((status): [string, ResponseObject] => [
    status,
    {
      description: SUCCESSES[status] ?? "Done.",
      headers: headersOf(Number(status), errors.has(429)),
      ...contentOf(bodiesAt(route, Number(status)), components),
    },
  ]);
  const hasRefusal = [...errors.keys()].some((status) => status >= 400 && status < 500);
  return {
    ...Object.fromEntries(successes),
    ...(hasRefusal ? {} : MALFORMED),
    ...withOtherForms(route, errors, components),
  };
}

function contentOf(bodies: Record<string, TSchema>, components: Components): Pick<ResponseObject, "content"> {
  const types = Object.entries(bodies);
  if (types.length === 0) return {};
  return { content: Object.fromEntries(types.map(([type, schema]) => [type, { schema: components.refer(schema) }])) };
}

/** Returns the errors of a route. Those without a code are alternatives to those that have one. */
function withOtherForms(
  { otherForms = {} }: Route,
  errors: ReadonlyMap<number, readonly ErrorCode[]>,
  components: Components,
): Record<string, ResponseObject> {
  const all = failures(errors);
  for (const [status, forms] of Object.entries(otherForms)) {
    if (Number(status) < 400 || forms === undefined) continue;
    const known = all[status] ?? { description: "Refused.", headers: headersOf(Number(status), errors.has(429)) };
    const content = { ...known.content };
    for (const [type, form] of Object.entries(forms)) {
      const schema = components.refer(form);
      const coded = content[type];
      content[type] = { schema: coded === undefined ? schema : { anyOf: [coded.schema, schema] } };
    }
    all[status] = { ...known, content };
  }
  return all;
}

/** The answers of the HTTP server itself before any route is found; the only refusals of a route that reads no input. */
const MALFORMED: Record<string, ResponseObject> = {
  "400": { description: "The request is not valid HTTP." },
  "431": { description: "The headers of the request are too large." },
};

/** Returns the error answers: each status with exactly the codes that can accompany it. */
export function failures(errors: ReadonlyMap<number, readonly ErrorCode[]>): Record<string, ResponseObject> {
  const responses = [...errors].map(([status, codes]): [string, ResponseObject] => [
    String(status),
    {
      description: codes.map((code) => `- \`${code}\`: ${ERRORS[code][1]}`).join("\n"),
      headers: headersOf(status, errors.has(429)),
      content: { [JSON_TYPE]: { schema: errorSchema(codes) } },
    },
  ]);
  return Object.fromEntries(responses);
}

function errorSchema(codes: readonly ErrorCode[]): JsonSchema {
  return {
    allOf: [{ $ref: "#/components/schemas/ErrorResponse" }, { type: "object", properties: { code: { enum: codes } } }],
  };
}

/** `components.headers` of the document (protocol §0). */
export const HEADERS: JsonSchema = {
  "X-Request-Id": { description: "Identifies this request in the server's log.", schema: { type: "string" } },
  "X-Api-Version": { description: "The version of this API.", schema: { type: "string", const: "1" } },
  "X-Ignored": {
    description:
      "Query parameters and body fields that the server ignored: percent-encoded names, separated by commas; at most ten of each.",
    schema: { type: "string" },
  },
  "RateLimit-Policy": {
    description: 'The tightest rate limit: `"name";q=<quota>;w=<seconds>`.',
    schema: { type: "string" },
  },
  RateLimit: {
    description: 'The rest of that limit: `"name";r=<remaining>;t=<seconds until reset>`.',
    schema: { type: "string" },
  },
  "Retry-After": {
    description: "Whole seconds until a retry can succeed.",
    schema: { type: "integer", minimum: 1 },
  },
};

function headersOf(status: number, isLimited: boolean): JsonSchema {
  const names = ["X-Request-Id", "X-Api-Version", "X-Ignored"];
  if (isLimited) names.push("RateLimit-Policy", "RateLimit");
  if (status === 429 || status === 503) names.push("Retry-After");
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
