import type { ArrivalsJob, ArrivalsResult } from "./jobs.ts";
import type { SocketPool } from "./socket-pool.ts";

/**
 * Waits until every open socket has received `each` messages since it was opened. Errors: a socket that has more of
 * them, or a time-out.
 */
export async function arrivals(pool: SocketPool, { each, timeoutMs }: ArrivalsJob): Promise<ArrivalsResult> {
  const wanted = each * pool.clients.length;
  let at = 0;
  const look = () => {
    if (at === 0 && pool.deliveries >= wanted) at = Date.now();
  };
  pool.onChunk = look;
  look();
  await pool.until(() => at !== 0, timeoutMs, `not all of the ${wanted} deliveries arrived`);
  pool.onChunk = null;
  const wrong = pool.clients.find(({ deliveries }) => deliveries !== each);
  if (wrong !== undefined) throw new Error(`socket ${wrong.index} received ${wrong.deliveries} of ${each} messages`);
  return { at, deliveries: pool.deliveries };
}
