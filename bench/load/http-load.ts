import type { Socket } from "bun";
import { measureCpu } from "./cpu-usage.ts";
import type { HttpJob, HttpResult } from "./jobs.ts";

/** Latency buckets of 20 µs; the last one takes everything above. */
const STEP_MS = 0.02;
const STEPS = 50_000;
const DRAIN_TIMEOUT_MS = 15_000;

interface Connection {
  socket: Socket<Connection> | null;
  sentAt: number;
  /** Remaining bytes of the body; -1 while the head is incomplete. */
  missing: number;
  partial: Buffer | null;
  status: number;
  /** True on one connection until its first answer has been captured for the suite. */
  keepBody: boolean;
}

/** Keep-alive connections with one request in flight each. Content-Length tells where a response ends. */
class HttpLoad {
  readonly job: HttpJob;
  readonly requests: Buffer[];
  readonly latencies = new Uint32Array(STEPS);
  measuring = false;
  stopping = false;
  next = 0;
  inFlight = 0;
  answers = 0;
  allAnswers = 0;
  bytes = 0;
  errors = 0;
  firstError: string | null = null;
  firstBody = "";

  constructor(job: HttpJob) {
    this.job = job;
    this.requests = job.requests.map((request) => Buffer.from(request, "utf8"));
  }

  send(connection: Connection): void {
    const request = this.requests[this.next % this.requests.length];
    if (!request) throw new Error("no requests");
    this.next += 1;
    this.inFlight += 1;
    connection.sentAt = performance.now();
    const written = connection.socket?.write(request) ?? 0;
    if (written !== request.length) this.fail(`wrote ${written} of ${request.length} bytes`);
  }

  fail(message: string): void {
    this.errors += 1;
    this.firstError ??= message.slice(0, 800);
  }

  receive(connection: Connection, chunk: Buffer): void {
    if (this.measuring) this.bytes += chunk.length;
    if (connection.missing >= 0) {
      if (connection.keepBody) this.firstBody += chunk.toString("utf8");
      connection.missing -= chunk.length;
    } else {
      const bytes = connection.partial ? Buffer.concat([connection.partial, chunk]) : chunk;
      const end = bytes.indexOf("\r\n\r\n");
      if (end < 0) {
        connection.partial = bytes;
        return;
      }
      connection.partial = null;
      const head = bytes.toString("latin1", 0, end);
      connection.status = Number(head.slice(9, 12));
      connection.missing = contentLength(head) - (bytes.length - end - 4);
      if (connection.status !== this.job.expectStatus) this.fail(bytes.toString("utf8"));
      else if (connection.keepBody) this.firstBody = bytes.toString("utf8", end + 4);
    }
    if (connection.missing > 0) return;
    if (connection.missing < 0) this.fail("more bytes than Content-Length");
    this.#answered(connection);
  }

  #answered(connection: Connection): void {
    connection.missing = -1;
    connection.keepBody = false;
    this.inFlight -= 1;
    if (connection.status === this.job.expectStatus) {
      this.allAnswers += 1;
      if (this.measuring) {
        this.answers += 1;
        const step = Math.min(STEPS - 1, ((performance.now() - connection.sentAt) / STEP_MS) | 0);
        this.latencies[step] = (this.latencies[step] ?? 0) + 1;
      }
    }
    if (!this.stopping) this.send(connection);
  }

  percentile(share: number): number {
    let left = this.answers * share;
    for (let step = 0; step < STEPS; step += 1) {
      left -= this.latencies[step] ?? 0;
      if (left <= 0) return (step + 1) * STEP_MS;
    }
    return STEPS * STEP_MS;
  }
}

function contentLength(head: string): number {
  let at = head.indexOf("ontent-Length: ");
  if (at < 0) at = head.toLowerCase().indexOf("ontent-length: ");
  if (at < 0) throw new Error(`a response without Content-Length: ${head}`);
  return Number.parseInt(head.slice(at + 15, at + 25), 10);
}

export async function httpLoad(job: HttpJob): Promise<HttpResult> {
  const load = new HttpLoad(job);
  const connections: Connection[] = [];
  for (let i = 0; i < job.connections; i += 1) {
    const connection: Connection = {
      socket: null,
      sentAt: 0,
      missing: -1,
      partial: null,
      status: 0,
      keepBody: i === 0,
    };
    connection.socket = await Bun.connect<Connection>({
      hostname: "127.0.0.1",
      port: job.port,
      data: connection,
      socket: {
        binaryType: "buffer",
        open: (socket) => void socket.setNoDelay(true),
        data: (socket, chunk) => load.receive(socket.data, chunk),
        close: () => {
          if (!load.stopping) load.fail("the server closed the connection");
        },
        error: (_socket, error) => load.fail(error.message),
      },
    });
    connections.push(connection);
  }
  for (const connection of connections) load.send(connection);
  await Bun.sleep(job.warmupMs);
  load.measuring = true;
  const stopMeasuring = measureCpu(job.serverPid);
  await Bun.sleep(job.runMs);
  const { seconds, cpu } = stopMeasuring();
  load.measuring = false;
  load.stopping = true;
  const deadline = performance.now() + DRAIN_TIMEOUT_MS;
  while (load.inFlight > 0 && performance.now() < deadline) await Bun.sleep(2);
  if (load.inFlight > 0) load.fail(`${load.inFlight} requests were never answered`);
  for (const connection of connections) connection.socket?.end();
  return {
    seconds,
    answers: load.answers,
    allAnswers: load.allAnswers,
    errors: load.errors,
    firstError: load.firstError,
    firstBody: load.firstBody,
    p50Ms: load.percentile(0.5),
    p95Ms: load.percentile(0.95),
    p99Ms: load.percentile(0.99),
    bytes: load.bytes,
    cpu,
  };
}
