import { join } from "node:path";
import type { Subprocess } from "bun";
import { eventually } from "../../../packages/server/test/support/servers/test-server.ts";

const MAIN = join(import.meta.dir, "../src/main.ts");

interface Rpc {
  id?: number;
  method?: string;
  // biome-ignore lint/suspicious/noExplicitAny: what the program sends; a test fails where it differs
  params?: any;
  // biome-ignore lint/suspicious/noExplicitAny: see above
  result?: any;
}

/** What Claude Code does with a channel: it starts the program and speaks MCP on its standard streams, line by line. */
export class Host implements AsyncDisposable {
  readonly child: Subprocess<"pipe", "pipe", "pipe">;
  readonly heard: Rpc[] = [];
  readonly ended: Promise<number>;
  errors = "";
  #next = 1;

  constructor(env: Record<string, string>, cwd: string) {
    const child = Bun.spawn([process.execPath, MAIN], {
      cwd,
      env: { PATH: process.env.PATH ?? "", HOME: cwd, ...env },
      stdin: "pipe",
      stdout: "pipe",
      stderr: "pipe",
    });
    this.child = child;
    this.ended = Promise.all([child.exited, this.#read(), this.#readErrors()]).then(([code]) => code);
  }

  async #read(): Promise<void> {
    let rest = "";
    for await (const text of this.child.stdout.pipeThrough(new TextDecoderStream())) {
      const lines = (rest + text).split("\n");
      rest = lines.pop() ?? "";
      // Anything but JSON on standard output would break Claude Code.
      for (const line of lines) this.heard.push(JSON.parse(line));
    }
  }

  async #readErrors(): Promise<void> {
    for await (const text of this.child.stderr.pipeThrough(new TextDecoderStream())) this.errors += text;
  }

  #write(message: object): void {
    this.child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
    this.child.stdin.flush();
  }

  notify(method: string, params: object = {}): void {
    this.#write({ method, params });
  }

  async request(method: string, params: object = {}): Promise<Rpc["result"]> {
    const id = this.#next++;
    this.#write({ id, method, params });
    return eventually(`an answer to ${method}`, () => this.heard.find((each) => each.id === id)?.result);
  }

  /** Opens the session as Claude Code does. Returns what the program declares. */
  async start(): Promise<Rpc["result"]> {
    const clientInfo = { name: "claude-code", version: "2.1.234" };
    const answer = await this.request("initialize", { protocolVersion: "2025-06-18", capabilities: {}, clientInfo });
    this.notify("notifications/initialized");
    return answer;
  }

  /** Calls a tool. Returns its text. */
  async call(name: string, given: object): Promise<string> {
    const { content, isError } = await this.request("tools/call", { name, arguments: given });
    return `${isError === true ? "error: " : ""}${content[0].text}`;
  }

  /** The messages that reached the session. */
  get messages(): { content: string; meta: Record<string, string> }[] {
    return this.heard.filter(({ method }) => method === "notifications/claude/channel").map(({ params }) => params);
  }

  get verdicts(): { request_id: string; behavior: string }[] {
    return this.heard
      .filter(({ method }) => method === "notifications/claude/channel/permission")
      .map(({ params }) => params);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.child.kill("SIGKILL");
    await this.ended;
  }
}
