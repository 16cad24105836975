import { PASSWORD } from "../../../server/test/support/servers/test-server.ts";
import type { BackOff } from "../../src/back-off.ts";
import { ParleyClient } from "../../src/client.ts";
import type { HttpOptions } from "../../src/http.ts";

/** Short waits: tests disconnect often. */
export const QUICK: BackOff = { firstMs: 5, maxMs: 40 };

/** Returns a client that has registered and is logged in. `via`: the URL it uses afterwards, such as a proxy's. */
export async function registered(
  url: string,
  username: string,
  options: Partial<HttpOptions> = {},
): Promise<ParleyClient> {
  const first = new ParleyClient({ url });
  await first.accounts.register({ username, password: PASSWORD });
  return new ParleyClient({ url, backOff: QUICK, cookie: first.cookie ?? undefined, ...options });
}
