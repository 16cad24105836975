import { hashWith } from "../../../src/accounts/passwords/passwords.ts";
import { issueKey } from "../../../src/agents/keys/keys.ts";
import { systemClock } from "../../../src/clock.ts";
import type { Config } from "../../../src/config/config.ts";
import type { AppContext } from "../../../src/context.ts";
import { type Overrides, startServer } from "../../../src/server.ts";
import { Pages, servePages } from "../../../src/web/web.service.ts";
import { untimed } from "../clock.ts";
import { testConfig } from "../config.ts";
import { PATIENCE_MS } from "../patience.ts";
import { quickPasswords } from "../quick-passwords.ts";
import { seedSqlite } from "../sqlite-template.ts";
import { Declared } from "./declared.ts";
import { runningServers } from "./running-servers.ts";

/** A response with its body; `body` is unchecked JSON for tests to inspect. */
export interface Answered {
  status: number;
  headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into answers of any shape and fails where they differ.
  body: any;
}

export interface Send {
  body?: unknown;
  /** Sent unchanged, instead of `body`. */
  raw?: string | Uint8Array | FormData;
  headers?: Record<string, string>;
}

/** A caller with or without a credential. */
export class Client {
  readonly url: string;
  readonly credential: Record<string, string>;

  constructor(url: string, credential: Record<string, string> = {}) {
    this.url = url;
    this.credential = credential;
  }

  async send(method: string, path: string, { body, raw, headers }: Send = {}): Promise<Answered> {
    const response = await fetch(this.url + path, {
      method,
      headers: {
        ...this.credential,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...headers,
      },
      ...(body === undefined && raw === undefined ? {} : { body: raw ?? JSON.stringify(body) }),
      redirect: "manual",
    });
    const text = await response.text();
    const isJson = response.headers.get("content-type")?.startsWith("application/json") ?? false;
    return {
      status: response.status,
      headers: response.headers,
      body: isJson && text !== "" ? JSON.parse(text) : text,
    };
  }

  get = (path: string, send?: Send) => this.send("GET", path, send);
  post = (path: string, body?: unknown, send?: Send) => this.send("POST", path, { body, ...send });
  put = (path: string, body?: unknown, send?: Send) => this.send("PUT", path, { body, ...send });
  delete = (path: string, send?: Send) => this.send("DELETE", path, send);
}

/** A user and their name. */
export type Named = Client & { username: string };

export interface TestServer extends AsyncDisposable {
  url: string;
  ctx: AppContext;
  config: Config;
  guest: Client;
  /** Registers a user and returns a client with their session. */
  user(name: string, password?: string): Promise<Client>;
  /** The same with a name that no other user of the server has. */
  newUser(): Promise<Named>;
  /** Creates an agent and issues its key, as the command line does. */
  agent(name?: string): Promise<Client & { apiKey: string; agentId: number; keyId: string }>;
}

export const PASSWORD = "correct horse battery";

/**
 * Background jobs run five times as often as usual, because tests wait for them. At ten times they took 2 % of a core
 * for each server. A test of what happens between two passes asks for `usualTiming`.
 */
const TEST_TIMING = { jobRate: 5 };

/** Bundled once in each process: that takes a third of a second of a processor. */
const pages = new Pages();

/**
 * Starts a whole server on a free port with its own data. Without a `clock` of the test, quotas never refill: a busy
 * machine may take longer to use one up than the server takes to refill it. The test during which the server sends what is not
 * declared fails, as does its disposal.
 */
export async function startTestServer(config: Partial<Config> = {}, overrides: Overrides = {}): Promise<TestServer> {
  const full = testConfig(config);
  const { clock = systemClock, database } = overrides;
  if (database === undefined && full.database.kind === "sqlite") await seedSqlite(full.database.path, clock);
  const timing = { ...TEST_TIMING, ...overrides.timing };
  const quotaClock = overrides.clock ?? untimed;
  const declared = new Declared();
  const { onAnswer, aroundSockets } = declared;
  const server = await startServer(full, { quotaClock, onAnswer, aroundSockets, ...overrides, timing });
  declared.watch(server.ctx.hub);
  runningServers.add(declared);
  const { url, ctx } = server;
  let users = 0;
  hashWith(ctx, quickPasswords);
  servePages(ctx, pages);
  return {
    url,
    ctx,
    config: full,
    guest: new Client(url),
    user: (name, password) => signUp(url, name, password),
    async newUser() {
      const username = `user_${++users}`;
      return Object.assign(await signUp(url, username), { username });
    },
    async agent(name) {
      const { api_key, agent_id, key_id } = await issueKey(ctx, name === undefined ? {} : { agentName: name });
      const client = new Client(url, { authorization: `Bearer ${api_key}` });
      return Object.assign(client, { apiKey: api_key, agentId: agent_id, keyId: key_id });
    },
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      runningServers.delete(declared);
      await declared.assertNone();
    },
  };
}

/** Registers a user on any server, and returns a client with their session. */
export const signUp = (url: string, username: string, password = PASSWORD): Promise<Client> =>
  sessionBy(url, "register", { username, password });

/** Opens another session of an existing user, and returns a client with it. */
export const logIn = (url: string, username: string, password = PASSWORD): Promise<Client> =>
  sessionBy(url, "login", { username, password });

async function sessionBy(url: string, way: "register" | "login", body: { username: string; password: string }) {
  const answer = await new Client(url).post(`/api/auth/${way}`, body);
  if (answer.status !== (way === "register" ? 201 : 200)) {
    throw new Error(`${way} ${body.username}: ${answer.status} ${JSON.stringify(answer.body)}`);
  }
  return new Client(url, { cookie: cookieOf(answer) });
}

/** Returns the session cookie that a response sets, as a client sends it back. */
export function cookieOf(answer: Answered): string {
  const set = answer.headers.getSetCookie().find((cookie) => cookie.includes("parley_session="));
  if (set === undefined) throw new Error("The answer sets no session cookie.");
  return set.split(";", 1)[0] ?? "";
}

/** The longest pause between two looks of `eventually`; the first is of `FIRST_LOOK_MS`, and each is longer. */
const LOOK_MS = 100;
const FIRST_LOOK_MS = 2;

/**
 * Waits until the condition holds. Fails with its description when the time is over. Use it instead of a fixed wait. It
 * looks often at first and rarely later, so that waiting takes no time from what is waited for.
 */
export async function eventually<T>(
  what: string,
  probe: () => T | Promise<T>,
  timeoutMs = PATIENCE_MS,
): Promise<NonNullable<T>> {
  const deadline = performance.now() + timeoutMs;
  for (let pause = FIRST_LOOK_MS; ; pause = Math.min(1.5 * pause, LOOK_MS)) {
    const value = await probe();
    if (value) return value;
    if (performance.now() > deadline) throw new Error(`Not within ${timeoutMs} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}
