import { afterEach, beforeEach } from "bun:test";
import { allRoutes } from "../../../server/src/modules.ts";
import { PASSWORD, startTestServer, type TestServer } from "../../../server/test/support/servers/test-server.ts";
import { ParleyClient } from "../../src/client.ts";

/** One server per test of a file, and the recorded calls of all of them. */
export interface RecordedCalls {
  readonly server: TestServer;
  /** Calls as `GET /api/channels/:channel_id`, including refused ones. */
  readonly asked: ReadonlySet<string>;
  /** Creates a user and returns their client. */
  person(username: string): Promise<ParleyClient>;
}

export function recordCalls(): RecordedCalls {
  const asked = new Set<string>();
  const patterns = allRoutes().map(({ method, path }) => ({
    name: `${method} ${path}`,
    pattern: new RegExp(`^${method} ${path.replace(/:\w+/g, "[^/]+")}$`),
  }));
  const realFetch = globalThis.fetch;
  let server: TestServer;

  beforeEach(async () => {
    server = await startTestServer();
    globalThis.fetch = Object.assign((url: string | URL | Request, init?: RequestInit) => {
      const line = `${init?.method ?? "GET"} ${new URL(String(url)).pathname}`;
      const exact = patterns.find(({ pattern }) => pattern.test(line));
      asked.add(exact?.name ?? line);
      return realFetch(url, init);
    }, realFetch);
  });

  afterEach(async () => {
    globalThis.fetch = realFetch;
    await server[Symbol.asyncDispose]();
  });

  return {
    get server() {
      return server;
    },
    asked,
    async person(username) {
      const client = new ParleyClient({ url: server.url });
      await client.accounts.register({ username, password: PASSWORD });
      return client;
    },
  };
}
