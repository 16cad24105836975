import type { RunningServer } from "../servers/server.ts";
import type { Bench, Case, Scenario, Settings } from "../suite.ts";
import { toMeasurement } from "./http-measurement.ts";

const ROOM = "general";
/** Enough users that no rate of the development profile (100 times production) is reached. */
const USERS = 512;
const CONTENT = "The tide is out, the gulls are in, and somebody has to write down what the harbour said. ".padEnd(
  100,
  ".",
);
/** Every eighth message mentions a user. */
const MENTION_EVERY = 8;

function request(server: RunningServer, head: string, cookie: string, body: string): string {
  const content = body === "" ? [] : ["Content-Type: application/json", `Content-Length: ${Buffer.byteLength(body)}`];
  return [head, `Host: 127.0.0.1:${server.port}`, `Cookie: ${cookie}`, ...content, "", body].join("\r\n");
}

export function sendRequests(server: RunningServer, cookies: string[]): string[] {
  return cookies.map((cookie, i) => {
    const mention = i % MENTION_EVERY === 0 ? `@bench_${(i + 7) % USERS} ` : "";
    const content = (mention + CONTENT).slice(0, 100);
    return request(server, "POST /api/messages HTTP/1.1", cookie, JSON.stringify({ channel_slug: ROOM, content }));
  });
}

async function lastSeq(server: RunningServer, cookie: string): Promise<number> {
  const answer = await fetch(`${server.url}/api/messages?channel_id=${ROOM}&limit=1`, { headers: { cookie } });
  const body = (await answer.json()) as { last_seq?: number };
  if (typeof body.last_seq !== "number")
    throw new Error(`a response without last_seq: ${JSON.stringify(body).slice(0, 300)}`);
  return body.last_seq;
}

/** Requests that are sent in turn, and what each is answered. */
export interface HttpRun {
  requests: string[];
  connections: number;
  expectStatus: number;
}

export async function runHttp(
  bench: Bench,
  server: RunningServer,
  run: HttpRun,
  { warmupMs, runMs }: Pick<Settings, "warmupMs" | "runMs"> = bench.settings,
) {
  const result = await bench.load.run({
    kind: "http",
    port: server.port,
    serverPid: server.pid,
    warmupMs,
    runMs,
    ...run,
  });
  return { result, measurement: toMeasurement(result) };
}

export async function sendRun(_bench: Bench, server: RunningServer, connections: number): Promise<HttpRun> {
  const cookies = await server.kind.sessions(server, USERS);
  return { requests: sendRequests(server, cookies), connections, expectStatus: 201 };
}

/** Fills the room first, because other scenarios may not have run. */
export async function pageRun(bench: Bench, server: RunningServer, connections: number): Promise<HttpRun> {
  const cookies = await server.kind.sessions(server, USERS);
  if (server.kind.name !== "bare-bun") await fill(bench, server, cookies);
  const head = `GET /api/messages?channel_id=${ROOM} HTTP/1.1`;
  return { requests: cookies.map((cookie) => request(server, head, cookie, "")), connections, expectStatus: 200 };
}

function sendCase(inFlight: number): Case {
  return {
    name: `${inFlight} in flight`,
    unit: "sends/s",
    servers: ["parley", "express", "bare-bun"],
    async measure(bench, kind) {
      const server = await bench.server(kind);
      const cookies = await kind.sessions(server, USERS);
      const durable = kind.name !== "bare-bun";
      const before = durable ? await lastSeq(server, cookies[0] ?? "") : 0;
      const { result, measurement } = await runHttp(bench, server, await sendRun(bench, server, inFlight));
      const stored = durable ? (await lastSeq(server, cookies[0] ?? "")) - before : result.allAnswers;
      if (stored !== result.allAnswers) measurement.faults.push(`${result.allAnswers} answered, ${stored} stored`);
      return measurement;
    },
  };
}

/** Durable sends over HTTP with authentication, rights, limits and mentions; an answer means the message is on disk. */
export const sendHttp: Scenario = {
  name: "send-http",
  about: "POST /api/messages, 100 bytes, 512 users, an @mention in every eighth message",
  cases: () => [sendCase(1), sendCase(64)],
};

const pageCase: Case = {
  name: "64 connections",
  unit: "pages/s",
  servers: ["parley", "express", "bare-bun"],
  async measure(bench, kind) {
    const server = await bench.server(kind);
    const { result, measurement } = await runHttp(bench, server, await pageRun(bench, server, 64));
    const page = JSON.parse(result.firstBody) as { messages?: unknown[] };
    if (page.messages?.length !== 50) measurement.faults.push(`a page of ${page.messages?.length} messages`);
    return measurement;
  },
};

/** Creates at least a page of messages, because the other scenarios may not have run. */
async function fill(bench: Bench, server: RunningServer, cookies: string[]): Promise<void> {
  if ((await lastSeq(server, cookies[0] ?? "")) >= 200) return;
  const requests = sendRequests(server, cookies);
  await bench.load.run({
    kind: "http",
    port: server.port,
    serverPid: server.pid,
    requests,
    connections: 8,
    expectStatus: 201,
    warmupMs: 0,
    runMs: 500,
  });
}

/** The page that every client requests first. */
export const newestPage: Scenario = {
  name: "newest-page",
  about: "GET /api/messages?channel_id=…, the newest 50 of a channel",
  cases: () => [pageCase],
};
