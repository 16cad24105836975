import { BODY_BYTES } from "@parley/protocol/limits";
import type { Server } from "bun";
import { largeGarbage } from "../base/large-garbage.ts";
import { andThen, type MaybePromise } from "../base/maybe-promise.ts";
import type { AppContext } from "../context.ts";
import { fail } from "../errors.ts";
import { trustOf } from "../realtime/control/trust.ts";
import { admit, trusted } from "./admission.ts";
import { type AnswerObserver, finish } from "./answers/finish.ts";
import { completeResponse, errorResponse, toAppError } from "./answers/respond.ts";
import type { Authenticator } from "./authenticate.ts";
import { checkDeclaredLength, checkMediaType, decodeText, parseJson, readBytes } from "./body/body.ts";
import { readForm } from "./body/form.ts";
import { type InputReaders, inputReaders, type Validator } from "./body/validate.ts";
import { Exchange, type RoutedRequest } from "./exchange.ts";
import { runOnce } from "./idempotency.ts";
import { ignoredNames, type KnownNames, knownNames, refuseTypos } from "./ignored.ts";
import { checkCrossSite } from "./origin.ts";
import type { Answer, Auth, Route } from "./route.ts";

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
interface Prepared extends InputReaders {
  bodyBytes: number;
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
  const isRead = route.method === "GET";
  // Public documents depend on no right.
  const isDocument = isRead && route.auth === "open" && route.rates === undefined;
  const trust = isDocument ? null : trustOf(ctx);
  const identify = (exchange: Exchange, auth: Auth): MaybePromise<void> => {
    const { request } = exchange;
    const found = route.door?.identify(ctx, request) ?? parts.authenticate(ctx, auth, request);
    if (found instanceof Promise) return found.then((caller) => exchange.actFor(caller));
    exchange.actFor(found);
  };
  const observe = route.door === undefined ? parts.observe : undefined;
  const answer = (exchange: Exchange): MaybePromise<Response> => {
    if (!isRead) exchange.isLengthKnown = checkDeclaredLength(exchange.request, prepared.bodyBytes);
    return andThen(isDocument ? undefined : admit(ctx, route, exchange, identify), () =>
      andThen(readInput(route, prepared, exchange), () =>
        andThen(perform(route, exchange), (given) => finish(ctx, route, exchange, given, observe)),
      ),
    );
  };
  return (request, server) => {
    // Bun counts this time from the head of the request, however much has arrived since.
    server.timeout(request, isStreamed ? 0 : ctx.timing.idleSeconds);
    const started = ctx.clock.monotonic();
    const readAddress = () => parts.addressOf(request, server.requestIP(request)?.address);
    const exchange = new Exchange(ctx, request, parts.nextRequestId(), readAddress);
    const refuse = (error: unknown) => {
      const response =
        route.door === undefined
          ? errorResponse(ctx, request, exchange, error)
          : completeResponse(ctx, request, exchange, route.door.refusal(toAppError(ctx, error, exchange.requestId)));
      if (response.status === 401 && route.challenge) response.headers.set("www-authenticate", route.challenge);
      observe?.({ route, request, status: response.status, response });
      return response;
    };
    const leave = (response: Response) => {
      route.door?.leave(response.headers);
      prepared.observe(response.status, (ctx.clock.monotonic() - started) / 1000);
      return response;
    };
    let response: MaybePromise<Response>;
    try {
      response = trust === null ? answer(exchange) : trusted(trust, isRead, () => answer(exchange));
    } catch (error) {
      return leave(refuse(error));
    }
    return response instanceof Promise ? response.then(leave, (error) => leave(refuse(error))) : leave(response);
  };
}

/** Validates parameters, query and body against their schemas. */
function readInput(route: Route, prepared: Prepared, exchange: Exchange): MaybePromise<void> {
  const { request } = exchange;
  // No browser sends an API key by itself; a request without one may come from a page that uses the visitor's cookie.
  if (route.method !== "GET" && exchange.caller.kind !== "agent") checkCrossSite(exchange.ctx.config, request);
  if (prepared.params !== undefined) exchange.params = prepared.params.read((name) => request.params?.[name]);
  readQuery(route, prepared, exchange);
  if (prepared.body === undefined) return;
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
  return {
    ...inputReaders(route),
    bodyBytes: route.upload?.isStreamed === true ? Number.MAX_SAFE_INTEGER : (route.bodyBytes ?? BODY_BYTES),
    lastSearch: undefined,
    lastQuery: undefined,
    lastIgnored: null,
    // The web pages read the query of their own addresses.
    queryNames: route.path.startsWith("/api") ? knownNames(route.query) : null,
    bodyNames: knownNames(route.body),
    observe: ctx.metrics.routeObserver(route.method, route.path),
  };
}

/**
 * Refuses a request with several `Host` headers (400 `invalid_request`), as RFC 9112 demands: a proxy in front may have
 * routed it by another one than this server reads. The runtime joins them with commas, which no host contains. It
 * refuses itself a request without `Host`, with differing lengths, or with a length and a transfer encoding.
 */
export function withOneHost<R extends Request, A extends unknown[], T>(
  ctx: AppContext,
  nextRequestId: () => string,
  handle: (request: R, ...rest: A) => T,
): (request: R, ...rest: A) => T | Response {
  return (request, ...rest) => {
    if (request.headers.get("host")?.includes(",") !== true) return handle(request, ...rest);
    const envelope = { requestId: nextRequestId(), private: false, rate: undefined, extra: undefined };
    const message = "The request must have one header Host.";
    return errorResponse(ctx, request, envelope, fail("invalid_request", { message }));
  };
}
