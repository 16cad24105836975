import type { McpBody } from "@parley/protocol/mcp";
import type { McpCall } from "./mcp-call.ts";
import { type Library, logRefusal, makeServer } from "./mcp-server.ts";
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

/**
 * Answers `subscriptions/listen` with a stream of notifications about resources.
 * Errors: those of `watchedBy` and of `Subscription`.
 */
export async function listen(library: Library, call: McpCall, body: McpBody): Promise<Response> {
  const watched = await watchedBy(call, urisOf(body));
  const subscription = new Subscription(call, watched);
  const handler = library.createMcpHandler(() => makeServer(library, call, "modern"), {
    bus: subscription,
    onerror: logRefusal(call),
  });
  subscription.end = () => void handler.close();
  try {
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
function bounded(response: Response, subscription: Subscription): Response {
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
