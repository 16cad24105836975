import type { ConstantRateJob, ConstantRateResult } from "./jobs.ts";
import type { SocketPool } from "./socket-pool.ts";

const TICK_MS = 5;
const DRAIN_TIMEOUT_MS = 10_000;

/**
 * Sends at a constant rate, however fast the server is. The sockets take turns, so that no user comes near a rate
 * limit.
 */
export async function sendAtConstantRate(pool: SocketPool, job: ConstantRateJob): Promise<ConstantRateResult> {
  const { clients } = pool;
  const baseAcks = pool.acks;
  const frames = job.contents.map((content) => pool.protocol.send(job.room, content));
  const started = performance.now();
  let sent = 0;
  for (let elapsed = 0; elapsed < job.runMs; elapsed = performance.now() - started) {
    for (const due = Math.floor((elapsed * job.perSecond) / 1000); sent < due; sent += 1) {
      const client = clients[sent % clients.length];
      const frame = frames[sent % frames.length];
      if (client === undefined || frame === undefined)
        throw new Error("there is no open socket, or no message to send");
      pool.sendTo(client, frame);
    }
    await Bun.sleep(TICK_MS);
  }
  const seconds = (performance.now() - started) / 1000;
  await pool
    .until(
      () => pool.faults.length > 0 || pool.acks - baseAcks >= sent,
      DRAIN_TIMEOUT_MS,
      "some messages were not acknowledged",
    )
    .catch((error: Error) => pool.faults.push(error.message));
  if (pool.acks - baseAcks !== sent) pool.faults.push(`${pool.acks - baseAcks} acks for ${sent} messages`);
  return { seconds, sent, faults: pool.faults.splice(0) };
}
