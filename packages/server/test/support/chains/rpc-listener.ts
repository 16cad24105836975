const PARSE_ERROR = { jsonrpc: "2.0", id: null, error: { code: -32700, message: "Parse error" } };

/**
 * Starts a JSON-RPC server on a free port. It answers a malformed call with a parse error (JSON-RPC 2.0, section 5.1).
 * Such calls occur when a caller breaks off because it no longer needs the response, or when a call is meant for the
 * server of another test that used this port before.
 */
export function listenForCalls<Call>(answer: (asked: Call | Call[]) => Response | Promise<Response>) {
  return Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 0,
    async fetch(request) {
      const asked = await questionOf<Call>(request);
      return asked === null ? Response.json(PARSE_ERROR) : answer(asked);
    },
  });
}

async function questionOf<Call>(request: Request): Promise<Call | Call[] | null> {
  try {
    return (await request.json()) as Call | Call[];
  } catch {
    return null;
  }
}
