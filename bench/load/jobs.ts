/** The jobs that the suite sends to the load process, and their results. Transferred as JSON. */

export type ProtocolName = "parley" | "parley-compact" | "socket.io" | "nats" | "mqtt" | "xmpp" | "irc";

export interface HttpJob {
  kind: "http";
  port: number;
  serverPid: number;
  /** Complete HTTP/1.1 requests, used in rotation. */
  requests: string[];
  connections: number;
  expectStatus: number;
  warmupMs: number;
  runMs: number;
}

export interface OpenJob {
  kind: "open";
  port: number;
  protocol: ProtocolName;
  /** `Cookie` values by socket; null is a guest. */
  cookies: (string | null)[];
  /** Concurrent handshakes. */
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
  /** The number of sockets, from the first, that send in rotation; they must belong to logged-in users. */
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

/** All open sockets take turns to send at a constant rate. */
export interface ConstantRateJob {
  kind: "constant-rate";
  room: string;
  /** Used in rotation. */
  contents: string[];
  perSecond: number;
  runMs: number;
}

/** Sends at a constant rate, and measures how long a message takes from the moment when it was due. */
export interface OpenLoopJob {
  kind: "open-loop";
  room: string;
  content: string;
  /** The number of sockets, from the first, that send in rotation. */
  senders: number;
  perSecond: number;
  warmupMs: number;
  runMs: number;
}

/** A part of the open sockets: `count` from number `from`. Its socket i belongs to room i modulo the number of rooms. */
export interface Crowd {
  from: number;
  count: number;
  rooms: string[];
}

export interface JoinRoomsJob {
  kind: "join-rooms";
  crowd: Crowd;
}

/** The senders take turns to send into their own rooms at a constant rate. */
export interface PacedRoomsJob {
  kind: "paced-rooms";
  crowd: Crowd;
  content: string;
  /** The sockets that send, by their number in the crowd. */
  senders: number[];
  perSecond: number;
  runMs: number;
}

/** Chain calls for rpc-preload.ts to make. A check consists of steps, and a step of concurrent calls. */
export interface RpcJob {
  url: string;
  checks: { method: string; params: unknown[] }[][][];
  concurrency: number;
}

/** Waits until every open socket has received a number of messages since it was opened. */
export interface ArrivalsJob {
  kind: "arrivals";
  each: number;
  timeoutMs: number;
}

export interface CloseJob {
  kind: "close";
}

export type Job =
  | HttpJob
  | OpenJob
  | JoinJob
  | FanOutJob
  | JoinStormJob
  | ConstantRateJob
  | OpenLoopJob
  | JoinRoomsJob
  | PacedRoomsJob
  | ArrivalsJob
  | CloseJob;

/** CPU seconds per second of the measurement: of the server, of the load, and of all other processes. */
export interface CpuUse {
  server: number;
  load: number;
  others: number;
}

export interface HttpResult {
  seconds: number;
  answers: number;
  /** All answers with the expected status, including warm-up and drain. */
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
  /** All messages sent, including warm-up; each must reach every socket. */
  sent: number;
  /** Empty if every socket got every message and the probes saw no gap and no duplicate. */
  faults: string[];
  bytes: number;
  cpu: CpuUse;
}

export interface JoinStormResult {
  /** From the first join sent until every socket has received the full number online. */
  agreementMs: number;
  /** Until every join was answered. */
  joinedMs: number;
  bytes: number;
  serverCpuSeconds: number;
  faults: string[];
}

export interface OpenLoopResult {
  p50Ms: number;
  p99Ms: number;
  p999Ms: number;
  sent: number;
  faults: string[];
}

export interface ConstantRateResult {
  seconds: number;
  sent: number;
  /** Empty if every message was accepted. */
  faults: string[];
}

export interface PacedRoomsResult {
  seconds: number;
  sent: number;
  deliveries: number;
  /** Empty if every message was accepted and reached every socket of its room once. */
  faults: string[];
}

export interface ArrivalsResult {
  /** Epoch milliseconds at which the last socket had them. */
  at: number;
  /** Messages that all sockets have received together. */
  deliveries: number;
}

export interface JobResults {
  http: HttpResult;
  open: { opened: number };
  join: { joined: number };
  "fan-out": FanOutResult;
  "join-storm": JoinStormResult;
  "constant-rate": ConstantRateResult;
  "open-loop": OpenLoopResult;
  "join-rooms": { joined: number };
  "paced-rooms": PacedRoomsResult;
  arrivals: ArrivalsResult;
  close: { closed: number };
}

export type Answer = { ok: true; result: JobResults[Job["kind"]] } | { ok: false; error: string };
