import type { McpBody } from "@parley/protocol/mcp";
import { checkCrossSite } from "../http/origin.ts";
import { rateLimited, takeGeneral } from "../http/rates.ts";
import { acceptedForms, acceptingBoth, inAcceptedForm } from "./answer-form.ts";
import { isListen, listen } from "./listen.ts";
import type { McpCall } from "./mcp-call.ts";
import { logRefusal, makeServer } from "./mcp-server.ts";

/**
 * Answers a POST to /mcp, in a form that the client accepts. Nothing remains of it afterwards: any node answers any request.
 * @throws cross_site, rate_limited
 */
export async function serveMcp(call: McpCall, sent: McpBody): Promise<Response> {
  const { ctx, request } = call;
  checkCrossSite(ctx.config, request);
  await payForBatch(call, sent);
  const body = withoutNulls(sent);
  const forms = acceptedForms(request);
  const isStream = isListen(body);
  if (isStream ? !forms.events : !forms.events && !forms.json) return notAcceptable(isStream);
  const library = await import("@modelcontextprotocol/server");
  const accepting = acceptingBoth(request);
  if (isStream) return uncached(await listen(library, { ...call, request: accepting }, body));
  const handler = library.createMcpHandler(({ era }) => makeServer(library, call, era), { onerror: logRefusal(call) });
  return uncached(await inAcceptedForm(await handler.fetch(accepting, { parsedBody: body }), forms));
}

function notAcceptable(isStream: boolean): Response {
  const forms = isStream ? "text/event-stream" : "application/json or text/event-stream";
  const error = { code: -32000, message: `Not acceptable: the client must accept ${forms}.` };
  return Response.json({ jsonrpc: "2.0", id: null, error }, { status: 406 });
}

/** Leaves out parameters that are null: many hosts send them for optional ones, and none of MCP may be null. */
function withoutNulls(body: McpBody): McpBody {
  if (Array.isArray(body)) return body.map(withoutNull);
  return withoutNull(body);
}

function withoutNull<M extends Record<string, unknown>>(message: M): M {
  const { params, ...rest } = message as M & { params?: unknown };
  if (params === undefined || params === null) return rest as unknown as M;
  if (typeof params !== "object" || Array.isArray(params)) return message;
  return { ...message, params: Object.fromEntries(Object.entries(params).filter(([, value]) => value !== null)) };
}

/** Answers are the agent's alone, as on every route with a credential. */
function uncached(response: Response): Response {
  response.headers.set("cache-control", "no-store, no-transform");
  return response;
}

/** The pipeline has taken one request from the agent's quota. A batch costs as many as it has messages. */
async function payForBatch({ ctx, caller }: McpCall, body: McpBody): Promise<void> {
  const more = Array.isArray(body) ? body.length - 1 : 0;
  for (let i = 0; i < more; i++) {
    const decision = await takeGeneral(ctx, caller, caller.key);
    if (!decision.allowed) throw rateLimited(decision);
  }
}
