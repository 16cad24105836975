import { percentile } from "../statistics.ts";
import type { OpenLoopJob, OpenLoopResult } from "./jobs.ts";
import type { Client, SocketPool } from "./socket-pool.ts";

const DRAIN_TIMEOUT_MS = 30_000;
/** Sockets whose deliveries are timed: enough, and spread over the order in which a server writes to a room. */
const OBSERVERS = 16;

/** Notes when each delivery of some sockets arrives. */
class Observers {
  readonly arrivals = new Map<Client, number[]>();
  readonly #before = new Map<Client, number>();

  constructor(clients: readonly Client[]) {
    const step = Math.max(1, Math.floor(clients.length / OBSERVERS));
    for (const client of clients.filter((_, i) => i % step === 0).slice(0, OBSERVERS)) {
      this.arrivals.set(client, []);
      this.#before.set(client, client.deliveries);
    }
  }

  received(client: Client): void {
    const arrivals = this.arrivals.get(client);
    if (arrivals === undefined) return;
    const now = performance.now();
    const seen = client.deliveries - (this.#before.get(client) ?? 0);
    while (arrivals.length < seen) arrivals.push(now);
  }
}

/**
 * Sends at a constant rate, however slow the server is. A message's time begins when it was due, not when it was sent,
 * so that waiting in the load counts, too. The n-th message that a socket receives counts as the n-th that was due: a
 * server that reorders messages of different senders exchanges their times, but does not change the distribution much.
 */
export async function openLoop(pool: SocketPool, job: OpenLoopJob): Promise<OpenLoopResult> {
  const { clients } = pool;
  const observers = new Observers(clients);
  pool.onChunk = (client) => observers.received(client);
  const frame = pool.protocol.send(job.room, job.content);
  const base = pool.deliveries;
  const started = performance.now();
  const dueAt = (number: number) => started + (number * 1_000) / job.perSecond;
  let sent = 0;
  for (let now = started; now - started < job.warmupMs + job.runMs; now = performance.now()) {
    for (; dueAt(sent) <= now; sent += 1) pool.sendTo(clients[sent % job.senders] as Client, frame);
    // No timer: it would be late by up to a millisecond.
    await new Promise((resolve) => setImmediate(resolve));
  }
  const expected = sent * clients.length;
  await pool
    .until(() => pool.deliveries - base >= expected, DRAIN_TIMEOUT_MS, "some messages were not delivered")
    .catch((error: Error) =>
      pool.faults.push(`${error.message} (${pool.deliveries - base} of ${expected} deliveries)`),
    );
  pool.onChunk = null;
  const first = Math.ceil((job.warmupMs * job.perSecond) / 1_000);
  const waits = [...observers.arrivals.values()].flatMap((arrivals) =>
    arrivals.slice(first).map((at, i) => at - dueAt(first + i)),
  );
  const [p50Ms, p99Ms, p999Ms] = [0.5, 0.99, 0.999].map((share) => percentile(waits, share)) as [
    number,
    number,
    number,
  ];
  return { p50Ms, p99Ms, p999Ms, sent, faults: pool.faults.splice(0) };
}
