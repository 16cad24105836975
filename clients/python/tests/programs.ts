import { expect } from "bun:test";
import { join } from "node:path";
import { findPython } from "../../../packages/server/test/support/python.ts";
import { type Client, eventually, startTestServer } from "../../../packages/server/test/support/servers/test-server.ts";

const python = findPython("httpx");
const PROGRAMS = join(import.meta.dir, "programs");

/** A Python program that acts as the agent Scout. Its warnings are errors. */
export class Program implements AsyncDisposable {
  said = "";
  readonly #child;
  readonly #reading: Promise<void>;
  readonly #errors: Promise<string>;

  constructor(file: string, url: string, key: string, act: string, argument = "") {
    const child = Bun.spawn([python, "-W", "error", join(PROGRAMS, file), url, key, act, argument], {
      env: {
        PATH: process.env.PATH ?? "",
        PYTHONPATH: join(import.meta.dir, "../src"),
        PYTHONDONTWRITEBYTECODE: "1",
      },
      stdout: "pipe",
      stderr: "pipe",
    });
    this.#child = child;
    this.#errors = child.stderr.text();
    this.#reading = (async () => {
      for await (const chunk of child.stdout.pipeThrough(new TextDecoderStream())) this.said += chunk;
    })();
  }

  /** Waits until the program ends, and returns its lines after "ready". Fails if it has printed a warning or an error. */
  async ended(): Promise<string[]> {
    await Promise.all([this.#child.exited, this.#reading]);
    expect(await this.#errors).toBe("");
    return this.said.trimEnd().split("\n").slice(1);
  }

  /** Waits until the agent is logged in. */
  async ready(): Promise<void> {
    await eventually("the agent is ready", () => this.said.startsWith("ready"));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill();
    await this.#child.exited;
  }
}

export const say = (user: Client, content: string) => user.post("/api/messages", { channel_slug: "general", content });

export async function contents(user: Client): Promise<string[]> {
  const { body } = await user.get("/api/messages?channel_id=general&limit=200");
  return body.messages.map(({ content }: { content: string }) => content);
}

/** Starts a server with a user and the agent Scout. */
export async function start(config: Parameters<typeof startTestServer>[0] = {}) {
  const server = await startTestServer(config);
  const ana = await server.user("ana");
  const scout = await server.agent("Scout");
  return { server, ana, scout, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}
