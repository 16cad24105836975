import type { McpBody } from "@parley/protocol/mcp";
import type { McpCall } from "./mcp-call.ts";
import { codeOf, type Library, logRefusal, makeServer, refusalOf } from "./mcp-server.ts";
import { Subscription, watchedBy } from "./subscription.ts";

/** Notifications that may wait for a slow reader. */
const UNREAD_MAX = 100;

/** True for `subscriptions/listen`, which answers with a stream. */
export const isListen = (body: McpBody): boolean =>
  !Array.isArray(body) && (body as { method?: unknown }).method === "subscriptions/listen";

/** Returns the URIs that a `subscriptions/listen` names. The library refuses it if they have another form. */
function urisOf(body: McpBody): string[] {
  const { params } = body as { params?: { notifications?: { resourceSubscriptions?: unknown } | null } | null };
  const uris = params?.notifications?.resourceSubscriptions;
  return Array.isArray(uris) ? [...new Set(uris.filter((uri) => typeof uri === "string"))] : [];
}

/** Answers `subscriptions/listen` with a stream of notifications about resources, or with an error of JSON-RPC. */
export async function listen(library: Library, call: McpCall, body: McpBody): Promise<Response> {
  try {
    return await stream(library, call, body);
  } catch (error) {
    const refusal = refusalOf(call, error);
    const { id } = body as { id?: unknown };
    const said = { code: codeOf(library, refusal), message: refusal.error, data: refusal };
    const isId = typeof id === "string" || typeof id === "number";
    return Response.json({ jsonrpc: "2.0", id: isId ? id : null, error: said });
  }
}

/** Errors: those of `watchedBy` and of `Subscription`. */
async function stream(library: Library, call: McpCall, body: McpBody): Promise<Response> {
  const watched = await watchedBy(call, urisOf(body));
  const subscription = new Subscription(call, watched);
  const handler = library.createMcpHandler(() => makeServer(library, call, "modern"), {
    bus: subscription,
    onerror: logRefusal(call),
  });
  subscription.onEnd = () => void handler.close();
  try {
    await subscription.ready();
    const response = await handler.fetch(call.request, { parsedBody: body });
    return subscription.isOpen ? bounded(response, subscription) : response;
  } finally {
    if (!subscription.isOpen) subscription.release();
  }
}

/**
 * Passes the stream on, and counts what is read of it: the library writes whether anybody reads or not. The stream of a
 * client that is far behind is dropped.
 */
export function bounded(response: Response, subscription: Pick<Subscription, "onTold">): Response {
  const reader = response.body?.getReader();
  if (reader === undefined) return response;
  let read = 0;
  subscription.onTold = (told) => {
    if (told - read > UNREAD_MAX) void reader.cancel();
  };
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await reader.read();
      if (done) return controller.close();
      read += 1;
      controller.enqueue(value);
    },
    cancel: (reason) => reader.cancel(reason),
  });
  return new Response(body, response);
}
