import { ERRORS, type ErrorCode } from "@parley/protocol/errors";
import type { Route } from "../http/route.ts";
import type { Components, JsonSchema } from "./components.ts";
import { errorsByStatus } from "./route-errors.ts";

export interface ResponseObject {
  description: string;
  headers?: JsonSchema;
  content?: Record<string, { schema: JsonSchema }>;
}

/** Answers without a body. */
const BODILESS: ReadonlySet<string> = new Set(["204", "302", "304", "416"]);

const SUCCESSES: Record<string, string> = {
  200: "Done.",
  201: "Created.",
  204: "Done, without a body.",
  206: "The part of the file that `Range` asks for.",
  302: "Leads to the address in `Location`.",
  304: "Not changed.",
  416: "The file has no such part; `Content-Range` says its size.",
};

/** Returns all answers of a route, by status. */
export function responsesOf(route: Route, components: Components): Record<string, ResponseObject> {
  const errors = errorsByStatus(route);
  const mediaType = route.mediaType ?? "application/json";
  const successes = Object.entries(route.answers).map(([status, schema]): [string, ResponseObject] => [
    status,
    {
      description: SUCCESSES[status] ?? "Done.",
      headers: headersOf(Number(status), errors.has(429)),
      ...(BODILESS.has(status) ? {} : { content: { [mediaType]: { schema: components.refer(schema) } } }),
    },
  ]);
  const hasRefusal = [...errors.keys()].some((status) => status >= 400 && status < 500);
  return { ...Object.fromEntries(successes), ...(hasRefusal ? {} : MALFORMED), ...failures(errors) };
}

/** The answers of the HTTP server itself before any route is found; the only refusals of a route that reads no input. */
const MALFORMED: Record<string, ResponseObject> = {
  "4XX": { description: "The request is not valid HTTP, or its headers are too large." },
};

/** Returns the error answers: each status with exactly the codes that can accompany it. */
export function failures(errors: ReadonlyMap<number, readonly ErrorCode[]>): Record<string, ResponseObject> {
  const responses = [...errors].map(([status, codes]): [string, ResponseObject] => [
    String(status),
    {
      description: codes.map((code) => `- \`${code}\`: ${ERRORS[code][1]}`).join("\n"),
      headers: headersOf(status, errors.has(429)),
      content: { "application/json": { schema: errorSchema(codes) } },
    },
  ]);
  return Object.fromEntries(responses);
}

function errorSchema(codes: readonly ErrorCode[]): JsonSchema {
  return {
    allOf: [{ $ref: "#/components/schemas/Error" }, { type: "object", properties: { code: { enum: codes } } }],
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
