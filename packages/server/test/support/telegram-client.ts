import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestBot } from "./telegram.ts";

/** A message that a client received, as far as the tests look at it. */
export interface Received {
  message_id: number;
  text?: string | undefined;
  caption?: string | undefined;
  chat_type: string;
  /** The thread of the message. */
  thread?: number | undefined;
  /** The largest photo. */
  photo?: string | undefined;
}

/** A call that the server refused, as a client shows it. */
export class RefusedCall extends Error {
  /** `retry_after`, as the client has read it. */
  readonly retryAfter: number | undefined;

  constructor(message: string, retryAfter: number | undefined) {
    super(message);
    this.retryAfter = retryAfter;
  }
}

/** The calls that a test makes with each client. Rejects with `RefusedCall`. */
export interface ClientDriver {
  /** Sends and returns the message's id. */
  send(chat: number, text: string, replyTo?: number): Promise<number>;
  edit(chat: number, messageId: number, text: string): Promise<unknown>;
  remove(chat: number, messageId: number): Promise<unknown>;
  photo(chat: number, bytes: Uint8Array<ArrayBuffer>): Promise<number>;
  /** Sends a message with a button whose data is `go`. The client answers a press with `Got <data>`, or without a text. */
  keyboard(chat: number): Promise<number>;
  typing(chat: number): Promise<unknown>;
  /** Downloads a file, and returns its size. */
  size(fileId: string): Promise<number>;
  /** Returns the bot's username. */
  me(): Promise<string>;
  /** True for a client that answers presses by itself, before its bot sees them. */
  readonly answersItself?: boolean;
  /** True for a client that waits `retry_after` and then repeats the call by itself. */
  readonly waitsItself?: boolean;
  /** Resolves when the client says that another one polls. */
  readonly conflict: Promise<string>;
  stop(): Promise<unknown>;
}

/** Starts a client that polls. */
export type StartClient = (bot: TestBot, onMessage: (message: Received) => void) => Promise<ClientDriver>;

type Line =
  | { received: Received }
  | { conflict: string }
  | { id: number; result: unknown }
  | { id: number; error: string; retry_after?: number };

/**
 * Starts a client in another program, which reads calls as lines of JSON, `{id, act, …}`, and writes lines:
 * `{id, result}`, `{id, error, retry_after}`, `{received}` and `{conflict}`. Its environment has `TOKEN` and `API_ROOT`.
 */
export const inProgram =
  (
    command: string[],
    env: Record<string, string> = {},
    traits: Pick<ClientDriver, "answersItself"> = {},
  ): StartClient =>
  async (bot, onMessage) => {
    const child = Bun.spawn(command, {
      env: { PATH: process.env.PATH ?? "", HOME: tmpdir(), ...env, TOKEN: bot.token, API_ROOT: bot.apiRoot },
      stdin: "pipe",
      stdout: "pipe",
      stderr: "inherit",
    });
    const waiting = new Map<number, { resolve(result: unknown): void; reject(error: Error): void }>();
    const conflict = Promise.withResolvers<string>();
    let calls = 0;
    const take = (line: Line) => {
      if ("received" in line) return onMessage(line.received);
      if ("conflict" in line) return conflict.resolve(line.conflict);
      const call = waiting.get(line.id);
      waiting.delete(line.id);
      if ("error" in line) call?.reject(new RefusedCall(line.error, line.retry_after));
      else call?.resolve(line.result);
    };
    void (async () => {
      for await (const line of linesOf(child.stdout)) take(JSON.parse(line) as Line);
      for (const { reject } of waiting.values()) reject(new Error(`${command.join(" ")} ended`));
    })();
    const call = <T>(act: string, fields: object = {}): Promise<T> => {
      const { promise, resolve, reject } = Promise.withResolvers<unknown>();
      const id = ++calls;
      waiting.set(id, { resolve, reject });
      child.stdin.write(`${JSON.stringify({ id, act, ...fields })}\n`);
      child.stdin.flush();
      return promise as Promise<T>;
    };
    await call("me");
    return {
      ...traits,
      send: (chat, text, replyTo) => call("send", { chat, text, reply_to: replyTo ?? 0 }),
      edit: (chat, message_id, text) => call("edit", { chat, message_id, text }),
      remove: (chat, message_id) => call("remove", { chat, message_id }),
      photo(chat, bytes) {
        const path = join(mkdtempSync(join(tmpdir(), "parley-photo-")), "a.png");
        writeFileSync(path, bytes);
        return call("photo", { chat, path });
      },
      keyboard: (chat) => call("keyboard", { chat }),
      typing: (chat) => call("typing", { chat }),
      size: (file_id) => call("size", { file_id }),
      me: () => call("me"),
      conflict: conflict.promise,
      async stop() {
        child.stdin.end();
        const timer = setTimeout(() => child.kill("SIGKILL"), 5_000);
        await child.exited;
        clearTimeout(timer);
      },
    };
  };

async function* linesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let held = "";
  for await (const bytes of stream) {
    held += decoder.decode(bytes, { stream: true });
    const lines = held.split("\n");
    held = lines.pop() ?? "";
    yield* lines.filter((line) => line.startsWith("{"));
  }
}
