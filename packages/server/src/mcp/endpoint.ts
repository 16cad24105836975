import type { McpBody } from "@parley/protocol/mcp";
import { checkCrossSite } from "../http/origin.ts";
import { rateLimited, takeGeneral } from "../http/rates.ts";
import { isListen, listen } from "./listen.ts";
import type { McpCall } from "./mcp-call.ts";
import { logRefusal, makeServer } from "./mcp-server.ts";

/**
 * Answers a POST to /mcp. Nothing remains of it afterwards: any node answers any request.
 * @throws cross_site, rate_limited
 */
export async function serveMcp(call: McpCall, body: McpBody): Promise<Response> {
  const { ctx, request } = call;
  checkCrossSite(ctx.config, request);
  await payForBatch(call, body);
  const library = await import("@modelcontextprotocol/server");
  if (isListen(body)) return uncached(await listen(library, call, body));
  const handler = library.createMcpHandler(({ era }) => makeServer(library, call, era), { onerror: logRefusal(call) });
  return uncached(await handler.fetch(request, { parsedBody: body }));
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
