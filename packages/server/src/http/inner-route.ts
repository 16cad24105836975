import type { TObject } from "typebox";
import type { AppContext } from "../context.ts";
import { trustOf } from "../realtime/control/trust.ts";
import { FieldReader, Validator } from "./body/validate.ts";
import { limitSubject } from "./connections/address.ts";
import { Exchange } from "./exchange.ts";
import type { Identity } from "./identity.ts";
import { assertScope } from "./key-scopes.ts";
import { identitySubject, takeRoute } from "./rates.ts";
import { ReadyJson, type Route } from "./route.ts";

/** The request inside which a route is called. It has passed the pipeline, so its caller is known. */
export interface OuterCall {
  readonly ctx: AppContext;
  readonly caller: Identity;
  readonly address: string;
  readonly requestId: string;
  readonly request: Request;
}

/** The input of a route, by where an HTTP request would carry it. Undefined fields count as absent. */
export interface InnerInput {
  params?: Record<string, unknown>;
  query?: Record<string, unknown>;
  body?: Record<string, unknown>;
  /** The body of a streamed upload, whose handler reads and checks it. */
  form?: FormData;
}

/**
 * A route that another route calls, as the tools of MCP do: with the same limits, schemas, rights, effects and errors
 * as over HTTP. The outer request has paid the caller's general rate; the route's own rates are taken here.
 */
export class InnerRoute {
  readonly route: Route;
  readonly #params: FieldReader | undefined;
  readonly #query: FieldReader | undefined;
  readonly #body: Validator | undefined;

  constructor(route: Route) {
    const isStreamed = route.upload?.isStreamed === true;
    if ((route.upload !== undefined && !isStreamed) || route.confirm !== undefined || route.idempotent === true)
      throw new Error(`${route.method} ${route.path} needs parts of the pipeline that calls inside a request lack`);
    const invalid = route.invalid ?? {};
    this.route = route;
    this.#params = route.params && new FieldReader(route.params as TObject, invalid, "invalid_id");
    this.#query =
      route.query && new FieldReader(route.query as TObject, { limit: "invalid_limit", ...invalid }, "invalid_request");
    this.#body = isStreamed
      ? undefined
      : route.body && new Validator(route.body, invalid, "invalid_request", route.readOnly);
  }

  /** Returns the body of the route's answer. Throws its errors. `signal` ends a wait. */
  async call(outer: OuterCall, input: InnerInput, signal: AbortSignal): Promise<Record<string, unknown>> {
    const { ctx, caller, address, requestId } = outer;
    const trust = trustOf(ctx);
    await trust?.good();
    const period = trust?.period ?? 0;
    await takeRoute(ctx, this.route, "address", limitSubject(address), undefined);
    await takeRoute(ctx, this.route, "identity", identitySubject(caller, outer), undefined);
    assertScope(caller, this.route.scope);
    const exchange = new Exchange(ctx, this.#request(outer.request, input, signal), requestId, () => address);
    exchange.actFor(caller);
    exchange.params = this.#params?.read(textsOf(input.params ?? {}));
    exchange.query = this.#query?.read(textsOf(input.query ?? {}));
    if (this.#body !== undefined) {
      exchange.body = withoutUndefined(input.body ?? {});
      this.#body.check(exchange.body);
    }
    const answer = await this.route.handle(exchange);
    // As in the pipeline: what was read while this node missed revocations is not answered.
    if (this.route.method === "GET") trust?.assertSince(period);
    if (answer instanceof Response) throw new Error(`${this.route.path} does not answer with JSON`);
    return JSON.parse(answer instanceof ReadyJson ? answer.json : JSON.stringify({ success: true, ...answer }));
  }

  /** The request as its handler sees it. It carries no header of the outer one except the host. */
  #request(outer: Request, { params = {}, form }: InnerInput, signal: AbortSignal): Request {
    const path = this.route.path.replace(/:(\w+)/g, (_, name) => encodeURIComponent(String(params[name])));
    const headers = { host: outer.headers.get("host") ?? "" };
    const init = { method: this.route.method, headers, signal };
    return new Request(new URL(path, outer.url).href, form === undefined ? init : { ...init, body: form });
  }
}

const textsOf = (values: Record<string, unknown>) => (name: string) =>
  values[name] === undefined ? undefined : String(values[name]);

const withoutUndefined = (values: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
