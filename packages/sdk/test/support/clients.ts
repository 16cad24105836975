import { PASSWORD } from "../../../server/test/support/servers/test-server.ts";
import type { Backoff } from "../../src/backoff.ts";
import { ParleyClient } from "../../src/client.ts";
import type { ClientOptions } from "../../src/request-options.ts";

/** Short waits: tests disconnect often. */
export const QUICK: Backoff = { firstMs: 5, maxMs: 40 };

/** Returns a client that has registered and is logged in. `via`: the URL it uses afterwards, such as a proxy's. */
export async function registered(
  url: string,
  username: string,
  options: Partial<ClientOptions> = {},
): Promise<ParleyClient> {
  const first = new ParleyClient({ url });
  await first.accounts.register({ username, password: PASSWORD });
  return new ParleyClient({ url, backoff: QUICK, cookie: first.cookie ?? undefined, ...options });
}
