import { type ChildProcess, spawn } from "node:child_process";
import { Readable, Writable } from "node:stream";
import {
  type ClientConnection,
  client,
  type InitializeResponse,
  methods,
  ndJsonStream,
  PROTOCOL_VERSION,
  RequestError,
  type RequestPermissionRequest,
  type RequestPermissionResponse,
  type SessionNotification,
} from "@agentclientprotocol/sdk";
import { visibleText } from "../../shared/src/clean-text.ts";
import { Ending } from "../../shared/src/ending.ts";
import manifest from "../package.json" with { type: "json" };

/** The longest line that the agent may write: one that edits a file of some megabytes fits. */
const LINE_BYTES = 16 * 1024 * 1024;
/** An agent that says nothing to `initialize` for so long does not speak this protocol. */
const START_MS = 60_000;
/** After `SIGTERM` an agent has this time to end. */
const END_MS = 3_000;
const WAIT_MS = { first: 1_000, most: 60_000 };
/** An agent that ran for so long starts again without a wait. */
const STEADY_MS = 60_000;

/** What the agent says while it works. */
export interface AgentHandlers {
  onUpdate(notification: SessionNotification): void;
  onPermission(request: RequestPermissionRequest, signal: AbortSignal): Promise<RequestPermissionResponse>;
}

/** A running agent that has answered `initialize`. */
export interface RunningAgent {
  connection: ClientConnection;
  facts: InitializeResponse;
  /** Aborted when the process has ended. */
  over: AbortSignal;
}

/** The agent's process. It is started when a turn needs it, and again after it has ended, with longer and longer waits. */
export class AgentProcess {
  readonly #command: readonly string[];
  readonly #folder: string;
  readonly #handlers: AgentHandlers;
  readonly #print: (line: string) => void;
  readonly #say: (line: string) => void;
  #child: ChildProcess | undefined;
  #running: Promise<RunningAgent> | undefined;
  #failures = 0;
  #isEnding = false;

  constructor(
    command: readonly string[],
    folder: string,
    handlers: AgentHandlers,
    out: { print(line: string): void; say(line: string): void },
  ) {
    this.#command = command;
    this.#folder = folder;
    this.#handlers = handlers;
    this.#print = out.print;
    this.#say = out.say;
  }

  /** Returns the running agent, and starts one if none runs. Throws `Ending` if the command cannot be started at all. */
  running(): Promise<RunningAgent> {
    this.#running ??= this.#start().catch((error) => {
      this.#running = undefined;
      throw error;
    });
    return this.#running;
  }

  async #start(): Promise<RunningAgent> {
    if (this.#failures > 0) await pause(Math.min(WAIT_MS.most, WAIT_MS.first * 2 ** (this.#failures - 1)));
    if (this.#isEnding) throw new Error("The program ends.");
    const [program = "", ...args] = this.#command;
    const child = spawn(program, args, { cwd: this.#folder, env: withoutKeys(process.env), stdio: "pipe" });
    this.#child = child;
    await new Promise<void>((resolve, reject) => {
      child.once("spawn", resolve);
      child.once("error", (error) => reject(new Ending(`${program} cannot be started: ${error.message}`)));
    });
    this.#print(`AGENT ${child.pid}`);
    const startedAt = Date.now();
    const over = new AbortController();
    this.#relayErrors(child);
    // An agent that has gone reads nothing more; its end is noticed by `exit`.
    child.stdin?.on("error", () => {});
    const connection = this.#connect(child);
    // An agent that closes its output is gone, too, although its process may linger.
    void connection.closed.then(() => {
      over.abort();
      if (this.#child === child) this.#running = undefined;
      child.kill("SIGTERM");
    });
    child.once("exit", (code, signal) => {
      connection.close();
      this.#failures = Date.now() - startedAt > STEADY_MS ? 1 : this.#failures + 1;
      if (!this.#isEnding) this.#say(`The agent ended (${signal ?? `code ${code}`}).`);
    });
    const facts = await this.#initialize(connection, over.signal);
    return { connection, facts, over: over.signal };
  }

  #connect(child: ChildProcess): ClientConnection {
    if (child.stdin === null || child.stdout === null) throw new Error("The agent has no pipes.");
    const stream = ndJsonStream(
      Writable.toWeb(child.stdin),
      Readable.toWeb(child.stdout) as unknown as ReadableStream<Uint8Array>,
      { maxMessageBytes: LINE_BYTES },
    );
    return client({ name: "parley-acp" })
      .onNotification(methods.client.session.update, ({ params }) => this.#handlers.onUpdate(params))
      .onRequest(methods.client.session.requestPermission, ({ params, signal }) =>
        this.#handlers.onPermission(params, signal),
      )
      .connect(stream);
  }

  /** Nobody in the chat becomes the agent's file system or terminal: it uses its own tools on its own machine. */
  async #initialize(connection: ClientConnection, over: AbortSignal): Promise<InitializeResponse> {
    const timeout = AbortSignal.timeout(START_MS);
    const ended = new Promise<never>((_, reject) => {
      const fail = () =>
        reject(new Error("The agent did not answer initialize. Does it speak ACP on its standard output?"));
      over.addEventListener("abort", fail, { once: true });
      timeout.addEventListener("abort", fail, { once: true });
    });
    const asked = connection.agent.request(methods.agent.initialize, {
      protocolVersion: PROTOCOL_VERSION,
      clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
      clientInfo: { name: "parley-acp", version: manifest.version },
    });
    const facts = await Promise.race([asked, ended]);
    if (facts.protocolVersion !== PROTOCOL_VERSION)
      throw new Ending(
        `The agent speaks version ${facts.protocolVersion} of ACP, and this program version ${PROTOCOL_VERSION}.`,
      );
    return facts;
  }

  /** What the agent writes to its standard error goes to ours, marked, so that it cannot imitate our lines. */
  #relayErrors(child: ChildProcess): void {
    let rest = "";
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      const lines = (rest + text).split("\n");
      rest = (lines.pop() ?? "").slice(-4_000);
      for (const line of lines) this.#say(`agent: ${visibleText(line.slice(0, 4_000))}`);
    });
  }

  /** Marks the agent as steady: what it does next starts without a wait if it ends. */
  worked(): void {
    this.#failures = 0;
  }

  /** Ends the agent. */
  async end(): Promise<void> {
    this.#isEnding = true;
    const child = this.#child;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()));
    child.kill("SIGTERM");
    const timer = setTimeout(() => child.kill("SIGKILL"), END_MS);
    await exited;
    clearTimeout(timer);
  }
}

/** Removes what belongs to Parley from the agent's environment: the agent acts through this program only. */
function withoutKeys(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !name.startsWith("PARLEY_")));
}

/** The error of `session/new` and of a prompt when the agent has to log in first. Its code is fixed by the protocol. */
export const needsLogin = (error: unknown): boolean =>
  error instanceof RequestError && error.code === RequestError.authRequired().code;

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
