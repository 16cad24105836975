import { describe, expect, test } from "bun:test";
import { ERRORS, type ErrorCode } from "@parley/protocol/errors";
import fc from "fast-check";
import type { TObject, TSchema } from "typebox";
import { Compile } from "typebox/compile";
import { errorsByStatus } from "../../src/documents/route-errors.ts";
import type { Route } from "../../src/http/route.ts";
import { allRoutes } from "../../src/modules.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import { fitting, NASTY_TEXT, nearlyFitting, nearlyJson, type Pools } from "../support/fuzz/arbitrary.ts";
import { FORM_TYPE, forms } from "../support/fuzz/forms.ts";
import { CALLERS, type CallerKind, FuzzWorld } from "../support/fuzz/fuzz-world.ts";

/**
 * Any request to any route by anybody (protocol §0): never a 5xx, every refusal has a code that the route declares with
 * the table's status, and every success matches its schema. A failure prints its seed.
 */
const RUNS = Number(process.env.PARLEY_TEST_FUZZ_RUNS ?? 30);
const SEED = Number(process.env.PARLEY_TEST_FUZZ_SEED ?? 20_260_101);

/** All outcomes: a fuzzer that is always refused at the first check tests only that check. */
const seen: string[] = [];
const world = await forAllTests(FuzzWorld.make());

interface Request {
  caller: CallerKind;
  path: string;
  headers: Record<string, string>;
  body: string | Uint8Array<ArrayBuffer> | undefined;
}

const SEGMENTS = [
  "0",
  "-1",
  "1.5",
  "1e3",
  "00001",
  "9007199254740993",
  "abc",
  "%00",
  "%ff",
  "%C0%80",
  "%F0%9F%98%80",
  "a%2Fb",
  "%zz",
  "+",
  "%20",
];
const HEADERS: readonly Record<string, string>[] = [
  {},
  { "content-type": "text/plain" },
  { "content-type": "application/json; charset=utf-8" },
  { "content-type": "application/json", "content-encoding": "br" },
  { "idempotency-key": "fuzz-key-1" },
  { "idempotency-key": "x" },
  { "last-event-id": "1:1" },
  { "last-event-id": "'; --" },
  { origin: "null" },
  { "if-none-match": '"x"' },
  { "x-username": "ann" },
  { "x-username": "OLGA" },
  { "x-username": "\u00e9" },
  { authorization: "Bearer ply_x_y" },
  { authorization: "Basic eDp5" },
];

function requestsTo(route: Route, pools: Pools): fc.Arbitrary<Request> {
  const hasBody = route.method !== "GET";
  return fc.record({
    caller: callersOf(route),
    path: fc.tuple(pathsOf(route, pools), queriesOf(route, pools)).map((parts) => parts.join("")),
    headers: fc.oneof({ weight: 4, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: fc.constantFrom(...HEADERS) }),
    body: hasBody ? bodiesOf(route, pools) : fc.constant(undefined),
  });
}

/** All kinds of callers, but mostly those whom the route admits. */
function callersOf(route: Route): fc.Arbitrary<CallerKind> {
  return fc.oneof(
    ...CALLERS.map((kind) => ({
      weight: route.auth === "agent" ? (kind === "agent" ? 16 : 1) : kind === "guest" || kind === "agent" ? 1 : 3,
      arbitrary: fc.constant(kind),
    })),
  );
}

function pathsOf(route: Route, pools: Pools): fc.Arbitrary<string> {
  const fields = (route.params as TObject | undefined)?.properties ?? {};
  const segments = route.path.split("/").map((part) => {
    if (!part.startsWith(":")) return fc.constant(part);
    const name = part.slice(1);
    const good = fitting(fields[name] as TSchema, pools, name).map((value) =>
      encodeURIComponent(String(value).toWellFormed()),
    );
    // An empty or dotted segment names another route.
    const named = good.map((text) => (/^\.{0,2}$/.test(text) ? "x" : text));
    return fc.oneof({ weight: 4, arbitrary: named }, { weight: 1, arbitrary: fc.constantFrom(...SEGMENTS) });
  });
  return fc.tuple(...segments).map((parts) => parts.join("/"));
}

function queriesOf(route: Route, pools: Pools): fc.Arbitrary<string> {
  const fields = Object.entries((route.query as TObject | undefined)?.properties ?? {});
  const required = new Set((route.query as TObject | undefined)?.required ?? []);
  if (fields.length === 0) return fc.constantFrom("", "?x=1&x=2&%ff", "?");
  const pairs = fields.map(([name, schema]) => {
    const nasty =
      name === "wait"
        ? fc.constantFrom("x", "-1", "")
        : fc.constantFrom(...NASTY_TEXT.filter((text) => text.length < 2_000));
    const values = fc.oneof(
      { weight: 3, arbitrary: name === "wait" ? fc.constant(0) : fitting(schema as TSchema, pools, name) },
      { weight: 1, arbitrary: nasty },
    );
    const pair = values.map((value) => `${name}=${encodeURIComponent(String(value).toWellFormed())}`);
    return fc.oneof(
      { weight: required.has(name) ? 6 : 1, arbitrary: pair },
      { weight: 2, arbitrary: fc.constant(null) },
    );
  });
  return fc.tuple(...pairs).map((found) => `?${found.filter((pair) => pair !== null).join("&")}`);
}

function bodiesOf(route: Route, pools: Pools): fc.Arbitrary<Request["body"]> {
  if (route.upload !== undefined) return forms(route.body, route.upload.field, pools);
  if (route.body === undefined) return fc.constantFrom(undefined, "{}", "junk");
  const json = nearlyJson(nearlyFitting(route.body, pools));
  return route.bodyOptional === true ? fc.option(json, { nil: undefined }) : json;
}

async function send(route: Route, { caller, path, headers, body }: Request): Promise<Response> {
  return fetch(world.server.url + path, {
    method: route.method,
    headers: {
      ...(body === undefined ? {} : { "content-type": typeof body === "string" ? "application/json" : FORM_TYPE }),
      ...world.caller(caller).credential,
      ...headers,
    },
    ...(body === undefined ? {} : { body }),
    redirect: "manual",
  });
}

function isStream({ headers }: Response): boolean {
  return headers.get("content-type")?.startsWith("text/event-stream") === true;
}

/** Returns what is wrong with a response; undefined if nothing is. */
function problemOf(route: Route, { status, headers }: Response, text: string): string | undefined {
  for (const name of ["x-request-id", "x-api-version", "x-content-type-options"])
    if (!headers.has(name)) return `has no ${name}`;
  if (status < 400) return problemOfSuccess(route, status, text);
  const body = JSON.parse(text) as Record<string, unknown>;
  const code = body.code as ErrorCode;
  if (status >= 500) return `is a ${status}`;
  if (ERRORS[code] === undefined || ERRORS[code][0] !== status) return `has the code ${code} with ${status}`;
  if (!(errorsByStatus(route).get(status) ?? []).includes(code)) return `has the undeclared code ${code}`;
  if (body.success !== false || body.request_id !== headers.get("x-request-id")) return "has not the shape of an error";
  if (status === 429 && !headers.has("retry-after")) return "has no Retry-After";
  if (/sqlite|select |\.ts\b|\bat \/|typeerror|undefined/i.test(String(body.error))) return "tells of the inside";
  return undefined;
}

const compiled = new Map<TSchema, ReturnType<typeof Compile>>();

function problemOfSuccess(route: Route, status: number, text: string): string | undefined {
  const schema = (route.answers as Record<number, TSchema | undefined>)[status];
  if (schema === undefined) return `is an undeclared ${status}`;
  if (route.mediaType !== undefined || status === 204 || status === 304) return undefined;
  const check = compiled.get(schema) ?? Compile(schema);
  compiled.set(schema, check);
  const body: unknown = JSON.parse(text);
  return check.Check(body) ? undefined : `is not as documented: ${JSON.stringify(check.Errors(body).slice(0, 3))}`;
}

/** Past the pipeline, /mcp answers with errors of JSON-RPC (test/mcp). */
const REST = allRoutes().filter(({ path }) => path !== "/mcp");

describe("a random request", () => {
  test.each(REST.map((route) => [route.method, route.path, route] as const))(
    "to %s %s is answered as declared",
    async (_method, _path, route) => {
      await world.renew();
      const takesNothing = route.params === undefined && route.query === undefined && route.body === undefined;
      await fc.assert(
        fc.asyncProperty(requestsTo(route, world.pools), async (request) => {
          const response = await send(route, request);
          const text = isStream(response) ? "" : await response.text();
          if (isStream(response)) await response.body?.cancel();
          seen.push(response.status < 400 ? "success" : (JSON.parse(text) as { code: string }).code);
          const problem = problemOf(route, response, text);
          if (problem !== undefined) throw new Error(`${response.status} ${problem}: ${text.slice(0, 500)}`);
        }),
        { seed: SEED, numRuns: takesNothing ? Math.min(RUNS, 15) : RUNS, endOnFailure: true },
      );
      expect((await world.server.guest.get("/livez")).status).toBe(200);
    },
  );

  test("passes the first checks often enough to be meaningful", () => {
    const kinds = new Set(seen).size;
    const successes = seen.filter((outcome) => outcome === "success").length;
    expect(kinds).toBeGreaterThan(30);
    expect(successes).toBeGreaterThan(seen.length / 5);
    console.log(JSON.stringify({ seed: SEED, requests: seen.length, successes, kinds }));
  });
});
