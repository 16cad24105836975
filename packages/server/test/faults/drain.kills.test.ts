import { expect, test } from "bun:test";
import { allMessages } from "../support/all-messages.ts";
import { temporaryFolder } from "../support/config.ts";
import { ChildServer, freePort } from "../support/servers/child-server.ts";
import { EventReader } from "../support/servers/event-reader.ts";
import { type RawAnswer, RawHttp } from "../support/servers/raw-http.ts";
import { TestSocket } from "../support/servers/socket.ts";
import { Client, eventually, signUp } from "../support/servers/test-server.ts";

/** Guarantees P18 (protocol §10): SIGTERM loses nothing, and the server exits within 10 s. */
const ROUNDS = 10;
const WRITERS = 16;
const EXIT_MS = 10_000;

/** Sends one message after another on one connection. */
class Writer implements Disposable {
  readonly acked: string[] = [];
  readonly #http: RawHttp;
  readonly #credential: Record<string, string>;
  readonly #name: string;
  #count = 0;

  constructor(http: RawHttp, credential: Record<string, string>, name: string) {
    this.#http = http;
    this.#credential = credential;
    this.#name = name;
  }

  /** Writes until `isOver`. The last request is sent before the server is stopped, so it must be answered. */
  async run(isOver: () => boolean): Promise<void> {
    while (!isOver()) await this.send();
  }

  async send(): Promise<void> {
    const key = `${this.#name}-${++this.#count}`;
    const body = { channel_slug: "general", content: key, client_msg_id: key };
    const { status } = await this.#http.ask("POST", "/api/messages", this.#credential, body);
    expect(status).toBe(201);
    this.acked.push(key);
  }

  [Symbol.dispose](): void {
    this.#http[Symbol.dispose]();
  }
}

async function writersOf(server: ChildServer, user: Client, round: string): Promise<Writer[]> {
  return Promise.all(
    Array.from(
      { length: WRITERS },
      async (_, n) => new Writer(await RawHttp.open(server.url), user.credential, `${round}-${n}`),
    ),
  );
}

const storedKeys = async (client: Client): Promise<Set<string>> =>
  new Set((await allMessages(client)).map(({ client_msg_id }) => client_msg_id));

test(`${ROUNDS} SIGTERMs under ${WRITERS} writers fail no request, lose nothing and say goodbye`, async () => {
  await using server = new ChildServer(temporaryFolder(), freePort());
  await server.start();
  const user = await signUp(server.url, "ann");
  const acked: string[] = [];
  const exits: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const sockets = [await TestSocket.open(server.url), await TestSocket.open(server.url, user.credential)];
    for (const socket of sockets) await socket.command("channel:join", { channel_slug: "general" });
    const writers = await writersOf(server, user, `r${round}`);
    let isOver = false;
    const writing = Promise.all(writers.map((writer) => writer.run(() => isOver)));
    const aim = 50 + round * 70;
    await eventually("there is load", () => writers.reduce((sum, writer) => sum + writer.acked.length, 0) >= aim);

    isOver = true;
    const started = performance.now();
    const exit = server.end("SIGTERM");
    await Promise.all([writing, ...sockets.map((socket) => socket.next(({ event }) => event === "server:draining"))]);
    expect(await exit).toBe(0);
    exits.push(performance.now() - started);
    for (const socket of sockets) expect(await socket.closed).toMatchObject({ code: 1012 });
    for (const writer of writers) {
      acked.push(...writer.acked);
      writer[Symbol.dispose]();
    }
    await server.start();
  }
  const stored = await storedKeys(new Client(server.url));
  expect(acked.filter((key) => !stored.has(key))).toEqual([]);
  expect(Math.max(...exits)).toBeLessThan(EXIT_MS);
  console.log(
    JSON.stringify({
      terms: ROUNDS,
      acked: acked.length,
      lost: 0,
      failed: 0,
      slowest_exit_ms: Math.round(Math.max(...exits)),
    }),
  );
});

test("requests that arrive together with the signal are answered", async () => {
  await using server = new ChildServer(temporaryFolder(), freePort());
  await server.start();
  const user = await signUp(server.url, "ann");
  const writers = await writersOf(server, user, "w");
  await Promise.all(writers.map((writer) => writer.send()));
  // The server is paused while both arrive, and then finds them at once.
  server.signal("SIGSTOP");
  const sent = Promise.all(writers.map((writer) => writer.send()));
  const exit = server.end("SIGTERM");
  server.signal("SIGCONT");
  await sent;
  expect(await exit).toBe(0);
  for (const writer of writers) writer[Symbol.dispose]();
});

/** Sends requests without a pause on one connection until the server closes it; returns the responses. */
async function askUntilTold(http: RawHttp, user: Client, n: number): Promise<number[]> {
  const statuses: number[] = [];
  for (;;) {
    const { status, head } =
      n % 2 === 0
        ? await http.ask("GET", "/api/channels", user.credential)
        : await http.ask("POST", "/api/messages", user.credential, { channel_slug: "general", content: "x" });
    statuses.push(status);
    if (/^connection: close\r?$/im.test(head)) return statuses;
  }
}

test("clients with kept connections are asked to leave before these are closed", async () => {
  await using server = new ChildServer(temporaryFolder(), freePort(), { PARLEY_RATE_LIMITS: "off" });
  await server.start();
  const user = await signUp(server.url, "ann");
  const connections = await Promise.all(Array.from({ length: WRITERS }, () => RawHttp.open(server.url)));
  const asked = connections.map((http, n) => askUntilTold(http, user, n));
  await user.get("/livez");
  const started = performance.now();
  const exit = server.end("SIGTERM");
  for (const statuses of await Promise.all(asked)) {
    for (const status of statuses) expect([200, 201]).toContain(status);
  }
  expect(await exit).toBe(0);
  expect(performance.now() - started).toBeLessThan(EXIT_MS / 4);
});

test("long polls and event streams end at once and do not delay the exit", async () => {
  await using server = new ChildServer(temporaryFolder(), freePort());
  await server.start();
  const { api_key } = JSON.parse(await server.command("key", "issue", "--agent", "helper", "--json"));
  const agent = new Client(server.url, { authorization: `Bearer ${api_key}` });
  expect((await agent.post("/api/agenthub/login", { channel_slug: "general", agent_name: "helper" })).status).toBe(200);
  await using stream = await EventReader.open(server.url, agent.credential);
  const polls: Promise<RawAnswer>[] = [];
  for (const path of ["/api/agenthub/mentions?wait=30", "/api/agenthub/messages?channel_slug=general&wait=30"]) {
    polls.push((await RawHttp.open(server.url)).ask("GET", path, agent.credential));
  }
  // These are answered after the others, so the others are waiting by now.
  await agent.get("/api/agenthub/mentions");
  const started = performance.now();
  const exit = server.end("SIGTERM");
  await stream.next(({ event }) => event === "server:draining");
  for (const answer of await Promise.all(polls)) expect([200, 503]).toContain(answer.status);
  await stream.ended;
  expect(await exit).toBe(0);
  expect(performance.now() - started).toBeLessThan(EXIT_MS / 4);
});

/** A client that never finishes its request. */
async function stall(server: ChildServer): Promise<RawHttp> {
  const http = await RawHttp.open(server.url);
  http.tcp.write(
    "POST /api/auth/login HTTP/1.1\r\nHost: parley\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{",
  );
  await new Client(server.url).get("/livez");
  return http;
}

test("a stalled client is waited for within the promised time, and the server is not ready during it", async () => {
  await using server = new ChildServer(temporaryFolder(), freePort());
  await server.start();
  using _stalled = await stall(server);
  using health = await RawHttp.open(server.url);
  // A connection in the middle of a request is kept: the rest of this request reaches a draining server.
  health.tcp.write("GET /readyz HTTP/1.1\r\n");
  await new Client(server.url).get("/livez");
  const socket = await TestSocket.open(server.url);
  const started = performance.now();
  const exit = server.end("SIGTERM");
  await socket.closed;
  const readiness = health.answer();
  health.tcp.write("Host: parley\r\n\r\n");
  expect(await readiness).toMatchObject({ status: 503, body: expect.stringContaining('"draining"') });
  await expect(RawHttp.open(server.url)).rejects.toThrow("ECONNREFUSED");
  expect(await exit).toBe(0);
  expect(performance.now() - started).toBeLessThan(EXIT_MS);
});

test("a second signal ends the server at once", async () => {
  await using server = new ChildServer(temporaryFolder(), freePort());
  await server.start();
  using _stalled = await stall(server);
  const started = performance.now();
  const exit = server.end("SIGTERM");
  let code: number | null | undefined;
  void exit.then((ended) => {
    code = ended;
  });
  await eventually("it ends", () => {
    server.signal("SIGTERM");
    return code !== undefined;
  });
  expect(code).toBe(1);
  expect(performance.now() - started).toBeLessThan(3_000);
});
