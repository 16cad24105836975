/** What the suite asks of the load process and what it answers. Travels as JSON between the two. */

export type DialectName = "parley" | "socket.io";

export interface HttpJob {
  kind: "http";
  port: number;
  serverPid: number;
  /** Whole HTTP/1.1 requests, used in turn. */
  requests: string[];
  connections: number;
  expectStatus: number;
  warmupMs: number;
  runMs: number;
}

export interface OpenJob {
  kind: "open";
  port: number;
  dialect: DialectName;
  /** `Cookie` values by socket; null is a guest. */
  cookies: (string | null)[];
  /** Handshakes under way at once. */
  concurrency: number;
  /** How many of the new sockets parse every frame and check the sequence. */
  probes: number;
}

export interface JoinJob {
  kind: "join";
  room: string;
}

export interface FanOutJob {
  kind: "fan-out";
  serverPid: number;
  room: string;
  content: string;
  /** The first so many sockets send in turn; they must belong to logged-in users. */
  senders: number;
  inFlight: number;
  warmupMs: number;
  runMs: number;
}

export interface JoinStormJob {
  kind: "join-storm";
  serverPid: number;
  room: string;
  timeoutMs: number;
}

/** Sends at a steady pace from all open sockets. */
export interface SteadyJob {
  kind: "steady";
  room: string;
  /** Used in turn. */
  contents: string[];
  perSecond: number;
  runMs: number;
}

/** Calls to a chain, made inside the server's process: of each check its steps, of each step the calls that are made at once. */
export interface CallsJob {
  url: string;
  checks: { method: string; params: unknown[] }[][][];
  atOnce: number;
}

export interface CloseJob {
  kind: "close";
}

export type Job = HttpJob | OpenJob | JoinJob | FanOutJob | JoinStormJob | SteadyJob | CloseJob;

/** CPU seconds per second of wall clock while the window was open: of both sides, and of all else on the machine. */
export interface CpuUse {
  server: number;
  load: number;
  others: number;
}

export interface HttpResult {
  seconds: number;
  answers: number;
  /** All answers with the expected status, warm-up and drain included. */
  allAnswers: number;
  errors: number;
  firstError: string | null;
  firstBody: string;
  p50Ms: number;
  p95Ms: number;
  p99Ms: number;
  bytes: number;
  cpu: CpuUse;
}

export interface FanOutResult {
  seconds: number;
  deliveries: number;
  /** All messages sent, warm-up included; each must reach every socket. */
  sent: number;
  /** Empty when every socket got every message and the probes saw no gap and no repetition. */
  faults: string[];
  bytes: number;
  cpu: CpuUse;
}

export interface JoinStormResult {
  /** From the first join sent until every socket was told the full number online. */
  agreementMs: number;
  /** Until every join was answered. */
  joinedMs: number;
  bytes: number;
  serverCpuSeconds: number;
  faults: string[];
}

export interface SteadyResult {
  seconds: number;
  sent: number;
  /** Empty when every message was taken. */
  faults: string[];
}

export interface JobResults {
  http: HttpResult;
  open: { opened: number };
  join: { joined: number };
  "fan-out": FanOutResult;
  "join-storm": JoinStormResult;
  steady: SteadyResult;
  close: { closed: number };
}

export type Answer = { ok: true; result: JobResults[Job["kind"]] } | { ok: false; error: string };
