import { BODY_BYTES } from "@parley/protocol/limits";
import type { Server } from "bun";
import type { TObject } from "typebox";
import { largeGarbage } from "../base/large-garbage.ts";
import { andThen, type MaybePromise } from "../base/maybe-promise.ts";
import type { AppContext } from "../context.ts";
import { fail } from "../errors.ts";
import { trustOf } from "../realtime/control/trust.ts";
import { type AnswerObserver, finish } from "./answers/finish.ts";
import { errorResponse } from "./answers/respond.ts";
import type { Authenticator } from "./authenticate.ts";
import { checkDeclaredLength, checkMediaType, decodeText, parseJson, readBytes } from "./body/body.ts";
import { readForm } from "./body/form.ts";
import { FieldReader, Validator } from "./body/validate.ts";
import { limitSubject } from "./connections/address.ts";
import { Exchange, type RoutedRequest } from "./exchange.ts";
import { runOnce } from "./idempotency.ts";
import { assertSetUp, type Identity } from "./identity.ts";
import { ignoredNames, type KnownNames, knownNames, refuseTypos } from "./ignored.ts";
import { assertScope } from "./key-scopes.ts";
import { checkCrossSite } from "./origin.ts";
import { identitySubject, rateLimited, takeGeneral, takeRoute } from "./rates.ts";
import type { Answer, Route } from "./route.ts";

/** The dependencies of the pipeline. */
export interface PipelineParts {
  ctx: AppContext;
  authenticate: Authenticator;
  addressOf(request: Request, peer: string | undefined): string;
  nextRequestId(): string;
  /** Sees every answer; absent in production. */
  observe: AnswerObserver | undefined;
}

/** The validators and limits of a route, prepared once. */
interface Prepared {
  params: FieldReader | undefined;
  query: FieldReader | undefined;
  body: Validator | undefined;
  bodyBytes: number;
  ratedByAddress: boolean;
  /** The last query string and its parsed value. */
  lastSearch: string | undefined;
  lastQuery: unknown;
  lastIgnored: string | null;
  queryNames: KnownNames;
  bodyNames: KnownNames;
  observe(status: number, seconds: number): void;
}

/**
 * Creates the handler of one route. The checks run in the protocol's order (§0): size, address limit, credential,
 * identity limit, the key's scope or the user's second factor, schema; then the service decides on rights and state. An
 * unauthenticated caller with a bad body gets 401.
 */
export function createHandler(
  parts: PipelineParts,
  route: Route,
): (request: RoutedRequest, server: Server<unknown>) => MaybePromise<Response> {
  const { ctx } = parts;
  const prepared = prepare(ctx, route);
  const isStreamed = route.upload?.isStreamed === true;
  const answer = trusted(
    ctx,
    route,
    (exchange): MaybePromise<Response> =>
      andThen(admit(parts, route, prepared, exchange), () => {
        assertScope(exchange.caller, route.scope);
        if (route.beforeSecondFactor !== true) assertSetUp(exchange.caller);
        return andThen(readInput(route, prepared, exchange), () =>
          andThen(perform(route, exchange), (given) => finish(ctx, route, exchange, given, parts.observe)),
        );
      }),
  );
  return (request, server) => {
    // Bun counts this time from the head of the request, however much has arrived since.
    server.timeout(request, isStreamed ? 0 : ctx.timing.idleSeconds);
    const started = ctx.clock.monotonic();
    const readAddress = () => parts.addressOf(request, server.requestIP(request)?.address);
    const exchange = new Exchange(ctx, request, parts.nextRequestId(), readAddress);
    const refuse = (error: unknown) => {
      const response = errorResponse(ctx, request, exchange, error);
      if (response.status === 401 && route.challenge) response.headers.set("www-authenticate", route.challenge);
      parts.observe?.({ route, request, status: response.status, response });
      return response;
    };
    const leave = (response: Response) => {
      prepared.observe(response.status, (ctx.clock.monotonic() - started) / 1000);
      return response;
    };
    let response: MaybePromise<Response>;
    try {
      response = answer(exchange);
    } catch (error) {
      return leave(refuse(error));
    }
    return response instanceof Promise ? response.then(leave, (error) => leave(refuse(error))) : leave(response);
  };
}

type Answering = (exchange: Exchange) => MaybePromise<Response>;

/**
 * On a node of a cluster, lets a request wait until the node has heard of the latest revocations. What was read while
 * it did not hear of them is not answered. Public documents depend on no right.
 */
function trusted(ctx: AppContext, route: Route, answer: Answering): Answering {
  const trust = isPublic(route) && route.method === "GET" ? null : trustOf(ctx);
  if (trust === null) return answer;
  const inPeriod = (exchange: Exchange) => {
    const { period } = trust;
    return andThen(answer(exchange), (response) => {
      if (route.method === "GET") trust.assertSince(period);
      return response;
    });
  };
  return (exchange) => (trust.isGood ? inPeriod(exchange) : trust.good().then(() => inPeriod(exchange)));
}

const isPublic = (route: Route): boolean => route.auth === "open" && route.rates === undefined;

/** Checks size, address limit, credential and identity limit. Returns no promise when the credential is cached. */
function admit(parts: PipelineParts, route: Route, prepared: Prepared, exchange: Exchange): MaybePromise<void> {
  const { ctx, request } = exchange;
  if (request.method !== "GET") exchange.isLengthKnown = checkDeclaredLength(request, prepared.bodyBytes);
  if (!prepared.ratedByAddress) return identify(parts, route, exchange);
  return andThen(takeRoute(ctx, route, "address", limitSubject(exchange.address), undefined), (rate) => {
    exchange.rate = rate;
    return identify(parts, route, exchange);
  });
}

/** Checks the credential, then the caller's limits. */
function identify(parts: PipelineParts, route: Route, exchange: Exchange): MaybePromise<void> {
  const { ctx, request } = exchange;
  if (isPublic(route) && request.method === "GET") return;
  let found: MaybePromise<Identity>;
  try {
    found = parts.authenticate(ctx, route.auth, request);
  } catch (error) {
    return takeLimits(route, exchange, error);
  }
  if (!(found instanceof Promise)) {
    exchange.actFor(found);
    return takeLimits(route, exchange, undefined);
  }
  return found.then(
    (caller) => {
      exchange.actFor(caller);
      return takeLimits(route, exchange, undefined);
    },
    (error: unknown) => takeLimits(route, exchange, error),
  );
}

/** A bad credential (`refusal`) costs its address as much as a missing one. */
function takeLimits(route: Route, exchange: Exchange, refusal: unknown): MaybePromise<void> {
  const { ctx, caller } = exchange;
  exchange.private = caller.kind !== "guest";
  const subject = identitySubject(caller, exchange);
  if (route.isUncounted === true && refusal === undefined && route.rates !== undefined)
    return andThen(takeRoute(ctx, route, "identity", subject, exchange.rate), (rate) => {
      exchange.rate = rate;
    });
  return andThen(takeGeneral(ctx, caller, subject), (general) => {
    exchange.rate ??= general;
    if (!general.allowed) throw rateLimited(general);
    if (refusal !== undefined) throw refusal;
    if (route.rates === undefined) return;
    return andThen(takeRoute(ctx, route, "identity", subject, exchange.rate), (rate) => {
      exchange.rate = rate;
    });
  });
}

/** Validates parameters, query and body against their schemas. */
function readInput(route: Route, prepared: Prepared, exchange: Exchange): MaybePromise<void> {
  const { request } = exchange;
  // No browser sends an API key by itself; a request without one may come from a page that uses the visitor's cookie.
  if (route.method !== "GET" && exchange.caller.kind !== "agent") checkCrossSite(exchange.ctx.config, request);
  if (prepared.params !== undefined) exchange.params = prepared.params.read((name) => request.params?.[name]);
  readQuery(route, prepared, exchange);
  if (prepared.body === undefined || route.upload?.isStreamed === true) return;
  if (route.upload !== undefined) return readUpload(route.upload, prepared, prepared.body, exchange);
  return readJson(route, prepared, prepared.body, exchange);
}

function readQuery(route: Route, prepared: Prepared, exchange: Exchange): void {
  const { url } = exchange.request;
  const at = url.indexOf("?");
  if (at === -1 && prepared.query === undefined) return;
  const search = at === -1 ? "" : url.slice(at + 1);
  // Polling clients repeat the same query string.
  if (search !== prepared.lastSearch) {
    const query = new URLSearchParams(search);
    const ignored = ignoredNames(prepared.queryNames, query.keys());
    if (ignored !== null) exchange.ignore(ignored);
    if (ignored !== null && route.path.startsWith("/api/agenthub/")) refuseTypos(prepared.queryNames, query.keys());
    prepared.lastQuery = prepared.query && Object.freeze(prepared.query.read((name) => query.get(name)));
    prepared.lastIgnored = ignored;
    prepared.lastSearch = search;
  } else if (prepared.lastIgnored !== null) exchange.ignore(prepared.lastIgnored);
  exchange.query = prepared.lastQuery;
}

/** Validates a body and reports its unknown fields in `X-Ignored`. */
function checkBody(prepared: Prepared, validator: Validator, exchange: Exchange, body: unknown): void {
  if (body !== null && typeof body === "object" && !Array.isArray(body)) {
    const ignored = ignoredNames(prepared.bodyNames, Object.keys(body));
    if (ignored !== null) exchange.ignore(ignored);
  }
  validator.check(body);
  exchange.body = body;
}

async function readUpload(
  upload: NonNullable<Route["upload"]>,
  prepared: Prepared,
  validator: Validator,
  exchange: Exchange,
): Promise<void> {
  const { file, texts, fingerprint } = await readForm(exchange.request, prepared.bodyBytes, upload.field);
  if (file === null) throw fail(upload.missing);
  checkBody(prepared, validator, exchange, texts);
  exchange.file = file;
  exchange.bodyText = fingerprint;
}

/** Bytes that a body leaves for each of its characters: received, decoded and parsed. */
const GARBAGE_BYTES = 12;

async function readJson(route: Route, prepared: Prepared, validator: Validator, exchange: Exchange): Promise<void> {
  const { request } = exchange;
  const bodiless = route.bodyOptional === true && request.headers.get("content-type") === null;
  if (!bodiless) checkMediaType(request);
  const text = decodeText(
    exchange.isLengthKnown ? await request.bytes() : await readBytes(request, prepared.bodyBytes),
  );
  largeGarbage(exchange.ctx.root).note(GARBAGE_BYTES * text.length);
  const body = text === "" && route.bodyOptional === true ? {} : parseJson(text);
  checkBody(prepared, validator, exchange, body);
  exchange.bodyText = text;
}

function perform(route: Route, exchange: Exchange): MaybePromise<Answer> {
  if (route.hasEffect === true && exchange.request.method === "HEAD")
    return new Response(null, { headers: { "content-type": route.mediaType ?? "application/json" } });
  if (route.confirm === undefined) return handle(route, exchange);
  return route.confirm(exchange).then(() => handle(route, exchange));
}

function handle(route: Route, exchange: Exchange): MaybePromise<Answer> {
  const key = route.idempotent === true ? exchange.request.headers.get("idempotency-key") : null;
  return key === null ? route.handle(exchange) : runOnce(route, exchange, key);
}

function prepare(ctx: AppContext, route: Route): Prepared {
  const invalid = route.invalid ?? {};
  return {
    params: route.params === undefined ? undefined : new FieldReader(route.params as TObject, invalid, "invalid_id"),
    query:
      route.query === undefined
        ? undefined
        : new FieldReader(route.query as TObject, { limit: "invalid_limit", ...invalid }, "invalid_request"),
    body: route.body === undefined ? undefined : new Validator(route.body, invalid, "invalid_request", route.readOnly),
    bodyBytes: route.upload?.isStreamed === true ? Number.MAX_SAFE_INTEGER : (route.bodyBytes ?? BODY_BYTES),
    lastSearch: undefined,
    lastQuery: undefined,
    lastIgnored: null,
    // The web pages read the query of their own addresses.
    queryNames: route.path.startsWith("/api") ? knownNames(route.query) : null,
    bodyNames: knownNames(route.body),
    ratedByAddress: route.rates?.some(({ by }) => by === "address") ?? false,
    observe: ctx.metrics.routeObserver(route.method, route.path),
  };
}
