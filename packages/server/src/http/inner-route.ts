import type { AppContext } from "../context.ts";
import { trustOf } from "../realtime/control/trust.ts";
import { admit, assertIdentified, trusted } from "./admission.ts";
import { type InputReaders, inputReaders } from "./body/validate.ts";
import { Exchange } from "./exchange.ts";
import type { Identity } from "./identity.ts";
import { type Answer, ReadyJson, type Route } from "./route.ts";

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
  readonly #input: InputReaders;

  constructor(route: Route) {
    const isStreamed = route.upload?.isStreamed === true;
    if ((route.upload !== undefined && !isStreamed) || route.confirm !== undefined || route.idempotent === true)
      throw new Error(`${route.method} ${route.path} needs parts of the pipeline that calls inside a request lack`);
    this.route = route;
    this.#input = inputReaders(route);
  }

  /** Returns the body of the route's answer. Throws its errors. `signal` ends a wait. */
  async call(outer: OuterCall, input: InnerInput, signal: AbortSignal): Promise<Record<string, unknown>> {
    const answer = await this.#answer(outer, input, signal);
    if (answer instanceof Response) throw new Error(`${this.route.path} does not answer with JSON`);
    return JSON.parse(answer instanceof ReadyJson ? answer.json : JSON.stringify({ success: true, ...answer }));
  }

  /** The same for a route that answers with bytes. `headers` are passed on, such as `range`. */
  async respond(
    outer: OuterCall,
    input: InnerInput,
    signal: AbortSignal,
    headers: Record<string, string> = {},
  ): Promise<Response> {
    const answer = await this.#answer(outer, input, signal, headers);
    if (!(answer instanceof Response)) throw new Error(`${this.route.path} answers with JSON`);
    return answer;
  }

  #answer(outer: OuterCall, input: InnerInput, signal: AbortSignal, headers: Record<string, string> = {}) {
    const { ctx, caller, address, requestId } = outer;
    const request = this.#request(outer.request, input, signal, headers);
    const exchange = new Exchange(ctx, request, requestId, () => address, true);
    exchange.actFor(caller);
    return trusted(trustOf(ctx), this.route.method === "GET", async (): Promise<Answer> => {
      await admit(ctx, this.route, exchange, assertIdentified);
      this.#read(exchange, input);
      return this.route.handle(exchange);
    });
  }

  #read(exchange: Exchange, { params = {}, query = {}, body = {} }: InnerInput): void {
    exchange.params = this.#input.params?.read(textsOf(params));
    exchange.query = this.#input.query?.read(textsOf(query));
    if (this.#input.body === undefined) return;
    exchange.body = withoutUndefined(body);
    this.#input.body.check(exchange.body);
  }

  /** The request as its handler sees it. It carries no header of the outer one except the host and those named. */
  #request(
    outer: Request,
    { params = {}, form }: InnerInput,
    signal: AbortSignal,
    passed: Record<string, string>,
  ): Request {
    const path = this.route.path.replace(/:(\w+)/g, (_, name) => encodeURIComponent(String(params[name])));
    const headers = { ...passed, host: outer.headers.get("host") ?? "" };
    const init = { method: this.route.method, headers, signal };
    return new Request(new URL(path, outer.url).href, form === undefined ? init : { ...init, body: form });
  }
}

const textsOf = (values: Record<string, unknown>) => (name: string) =>
  values[name] === undefined ? undefined : String(values[name]);

const withoutUndefined = (values: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
