import { measureCpu } from "./cpu-usage.ts";
import type { FanOutJob, FanOutResult, JoinStormJob, JoinStormResult } from "./jobs.ts";
import type { Client, SocketPool } from "./socket-pool.ts";

const DRAIN_TIMEOUT_MS = 30_000;

/**
 * Keeps `inFlight` messages pending among the first sockets of the pool. A message is in flight until its sender has
 * both the answer and its own copy: in a room with a total order of messages, the sender has then seen every message
 * sent before it, and this one.
 */
class Senders {
  sent = 0;
  sending = true;
  readonly #pool: SocketPool;
  readonly #senders: {
    client: Client;
    acksBefore: number;
    deliveriesBefore: number;
    waiting: number[];
    done: number;
  }[];
  readonly #frame: Uint8Array;

  constructor(pool: SocketPool, job: FanOutJob) {
    this.#pool = pool;
    this.#frame = pool.protocol.send(job.room, job.content);
    this.#senders = pool.clients.slice(0, job.senders).map((client) => ({
      client,
      acksBefore: client.acks,
      deliveriesBefore: client.deliveries,
      waiting: [],
      done: 0,
    }));
  }

  /**
   * Rotates senders, so that no user gets near a rate limit. Skips those that wait, if others do not: InspIRCd reads the
   * second of two frames that arrive together only when a third arrives.
   */
  send(): void {
    const count = this.#senders.length;
    let sender = this.#senders[this.sent % count];
    for (let i = 1; i < count && sender !== undefined && sender.waiting.length > 0; i += 1)
      sender = this.#senders[(this.sent + i) % count];
    if (!sender) throw new Error("there are no senders");
    this.sent += 1;
    sender.waiting.push(this.sent);
    this.#pool.sendTo(sender.client, this.#frame);
  }

  /** Must be called whenever a socket has received something. */
  received(client: Client): void {
    const sender = this.#senders[client.index];
    if (!sender) return;
    const acks = client.acks - sender.acksBefore;
    const deliveries = client.deliveries - sender.deliveriesBefore;
    const isAnswered = () => acks > sender.done || !this.#pool.protocol.acknowledges;
    let first = sender.waiting[0];
    while (first !== undefined && isAnswered() && deliveries >= first) {
      sender.waiting.shift();
      sender.done += 1;
      if (this.sending) this.send();
      first = sender.waiting[0];
    }
  }
}

export async function fanOut(pool: SocketPool, job: FanOutJob): Promise<FanOutResult> {
  const receivers = pool.clients.length;
  const before = pool.clients.map((client) => client.deliveries);
  const base = pool.deliveries;
  const baseAcks = pool.acks;
  const senders = new Senders(pool, job);
  pool.onChunk = (client) => senders.received(client);
  for (let i = 0; i < job.inFlight; i += 1) senders.send();
  await Bun.sleep(job.warmupMs);
  const deliveriesBefore = pool.deliveries;
  const bytesBefore = pool.bytes;
  const stopMeasuring = measureCpu(job.serverPid);
  await Bun.sleep(job.runMs);
  const { seconds, cpu } = stopMeasuring();
  const deliveries = pool.deliveries - deliveriesBefore;
  const bytes = pool.bytes - bytesBefore;
  senders.sending = false;
  const { sent } = senders;
  const expected = sent * receivers;
  const expectedAcks = pool.protocol.acknowledges ? sent : 0;
  await pool
    .until(
      () => pool.faults.length > 0 || (pool.deliveries - base >= expected && pool.acks - baseAcks >= expectedAcks),
      DRAIN_TIMEOUT_MS,
      "some messages were not delivered",
    )
    .catch((error: Error) => pool.faults.push(error.message));
  pool.onChunk = null;
  await pool.quiet(100);
  const incomplete = pool.clients.filter((client, i) => client.deliveries - (before[i] ?? 0) !== sent).length;
  if (incomplete > 0)
    pool.faults.push(
      `${incomplete} of ${receivers} sockets did not receive exactly ${sent} messages (${pool.deliveries - base} of ${expected} deliveries)`,
    );
  if (pool.acks - baseAcks !== expectedAcks) pool.faults.push(`${pool.acks - baseAcks} acks for ${sent} messages`);
  return { seconds, deliveries, sent, faults: pool.faults.splice(0), bytes, cpu };
}

/** Joins all sockets at once; done when each has received the full number online, or at the timeout. */
export async function joinStorm(pool: SocketPool, job: JoinStormJob): Promise<JoinStormResult> {
  const total = pool.clients.length;
  const frame = pool.protocol.join(job.room, true, 0);
  const baseAcks = pool.acks;
  const baseBytes = pool.bytes;
  let joinedAt = 0;
  pool.readLists = true;
  for (const client of pool.clients) client.parser.peek = 256;
  const stopMeasuring = measureCpu(job.serverPid);
  const started = performance.now();
  for (const client of pool.clients) pool.sendTo(client, frame);
  const agreed = (): boolean => {
    if (joinedAt === 0 && pool.acks - baseAcks >= total) joinedAt = performance.now();
    return joinedAt > 0 && pool.clients.every((client) => client.online === total);
  };
  await pool.until(agreed, job.timeoutMs, "the sockets did not agree on the number online").catch((error: Error) => {
    const agreeing = pool.clients.filter((client) => client.online === total).length;
    pool.faults.push(`${error.message} (${agreeing} of ${total} sockets have the full number)`);
  });
  const agreedAt = performance.now();
  await pool.quiet(300);
  return {
    agreementMs: agreedAt - started,
    joinedMs: joinedAt - started,
    bytes: pool.bytes - baseBytes,
    serverCpuSeconds: stopMeasuring().serverCpuSeconds,
    faults: pool.faults.splice(0),
  };
}
