import type { Crowd, JoinRoomsJob, PacedRoomsJob, PacedRoomsResult } from "./jobs.ts";
import type { Client, SocketPool } from "./socket-pool.ts";

const AT_ONCE = 50;
const TICK_MS = 5;
const DRAIN_TIMEOUT_MS = 10_000;

const membersOf = (pool: SocketPool, { from, count }: Crowd): Client[] => pool.clients.slice(from, from + count);

/** Joins each socket of a crowd to its room. */
export async function joinRooms(pool: SocketPool, { crowd }: JoinRoomsJob): Promise<{ joined: number }> {
  const before = pool.acks;
  const frames = crowd.rooms.map((room) => pool.protocol.join(room, false, 0));
  const clients = membersOf(pool, crowd);
  for (let at = 0; at < clients.length; at += AT_ONCE) {
    const portion = clients.slice(at, at + AT_ONCE);
    for (const [i, client] of portion.entries())
      pool.sendTo(client, frames[(at + i) % frames.length] ?? new Uint8Array());
    await pool.until(() => pool.acks - before >= at + portion.length, 30_000, `joined ${at} of ${clients.length}`);
  }
  await pool.quiet(600);
  return { joined: clients.length };
}

/** Sends at a constant rate, the senders in turn, each into its own room. Waits until every message has arrived. */
export async function sendToRooms(pool: SocketPool, job: PacedRoomsJob): Promise<PacedRoomsResult> {
  const { rooms } = job.crowd;
  const clients = membersOf(pool, job.crowd);
  const frames = rooms.map((room) => pool.protocol.send(room, job.content));
  const sizes = rooms.map((_, room) => Math.ceil((clients.length - room) / rooms.length));
  const before = clients.map(({ deliveries }) => deliveries);
  const [baseAcks, base] = [pool.acks, pool.deliveries];
  const sentTo = rooms.map(() => 0);
  const started = performance.now();
  let sent = 0;
  let expected = 0;
  for (let elapsed = 0; elapsed < job.runMs; elapsed = performance.now() - started) {
    for (const due = Math.floor((elapsed * job.perSecond) / 1000); sent < due; sent += 1) {
      const sender = job.senders[sent % job.senders.length] ?? -1;
      const client = clients[sender];
      if (client === undefined) throw new Error("there is no open socket for a sender");
      const room = sender % rooms.length;
      pool.sendTo(client, frames[room] ?? new Uint8Array());
      sentTo[room] = (sentTo[room] ?? 0) + 1;
      expected += sizes[room] ?? 0;
    }
    await Bun.sleep(TICK_MS);
  }
  const seconds = (performance.now() - started) / 1000;
  const isDone = () => pool.faults.length > 0 || (pool.acks - baseAcks >= sent && pool.deliveries - base >= expected);
  await pool
    .until(isDone, DRAIN_TIMEOUT_MS, "some messages were not acknowledged or delivered")
    .catch((error: Error) => pool.faults.push(error.message));
  const wrong = clients.filter((client, i) => client.deliveries - (before[i] ?? 0) !== sentTo[i % rooms.length]).length;
  if (wrong > 0)
    pool.faults.push(
      `${wrong} of ${clients.length} sockets did not receive exactly the messages of their room (${pool.deliveries - base} of ${expected} deliveries)`,
    );
  if (pool.acks - baseAcks !== sent) pool.faults.push(`${pool.acks - baseAcks} acks for ${sent} messages`);
  return { seconds, sent, deliveries: pool.deliveries - base, faults: pool.faults.splice(0) };
}
