import { type Static, type TSchema, Type } from "typebox";
import type { Clock } from "../clock.ts";
import { fits } from "../http/fits.ts";
import type { Log } from "../log.ts";
import type { Metrics } from "../metrics.ts";

/** A call that gave nothing to work with. The texts are ours: not a word of the server's gets into a log. */
export class RpcFailure extends Error {
  readonly reason: FailureReason;
  constructor(reason: FailureReason) {
    super(`the chain's server gave no answer: ${reason}`);
    this.name = "RpcFailure";
    this.reason = reason;
  }
}

export type FailureReason =
  | "timeout"
  | "connection"
  | "status"
  | "limited"
  | "too_large"
  | "malformed"
  | "wrong_chain"
  /** Nothing was asked: it failed too often a moment ago. */
  | "resting";

/** The server answered with an error of JSON-RPC. `text` is its own: to be classified, never to be shown. */
export class RpcRefusal extends Error {
  readonly code: number;
  readonly text: string;
  constructor(code: number, text: string) {
    super(`the chain's server refused (${code})`);
    this.name = "RpcRefusal";
    this.code = code;
    this.text = text;
  }
}

const CALL_MS = 4_000;
/** A receipt with thousands of logs, or the hashes of a very full block. */
const ANSWER_MAX = 4 * 1024 * 1024;
/** So many failures in a row, and it is left alone for a while: a silent server must not cost every call its time. */
const FAILURES_MAX = 5;
const REST_MS = 10_000;
/** How long its word holds that it is on the right chain, unless a call fails: addresses change hands. */
const WORD_MS = 60_000;

const TIMEOUT = "timeout";
const UTF8 = new TextDecoder("utf-8", { fatal: true });
const LONG_INTEGER = /[:,[]\s*-?\d{16}/;

const Envelope = Type.Union([
  Type.Object({ id: Type.Integer(), result: Type.Unknown() }),
  Type.Object({ id: Type.Integer(), error: Type.Object({ code: Type.Integer(), message: Type.String() }) }),
]);

interface RpcServerOptions {
  url: string;
  clock: Clock;
  log: Log;
  metrics: Pick<Metrics, "chainServerFailed">;
  /** Milliseconds one call may take, to its last byte. */
  callMs?: number;
}

/** One server of a chain that speaks JSON-RPC 2.0 over HTTP. What it says is material to judge, in shape and size too. */
export class RpcServer {
  /** How logs and metrics call it. The address's path stays out of them: it may hold a credential. */
  readonly name: string;
  readonly #options: Required<RpcServerOptions>;
  #calls = 0;
  #failures = 0;
  #restsUntil = 0;
  #wordHoldsUntil = 0;

  constructor(options: RpcServerOptions) {
    this.#options = { callMs: CALL_MS, ...options };
    this.name = new URL(options.url).host;
  }

  /**
   * Calls a method and gives back its result, when it has the shape it should have.
   * @throws RpcFailure, RpcRefusal
   */
  async call<T extends TSchema>(
    schema: T,
    method: string,
    params: readonly unknown[],
    signal?: AbortSignal,
  ): Promise<Static<T>> {
    const { clock, metrics } = this.#options;
    if (clock.monotonic() < this.#restsUntil) throw new RpcFailure("resting");
    try {
      const result = await this.#ask(method, params, signal);
      if (!fits(schema, result)) throw new RpcFailure("malformed");
      this.#failures = 0;
      return result;
    } catch (error) {
      // Who asked does not wait any more: that says nothing of the server.
      if (signal?.aborted) throw new RpcFailure("timeout");
      if (error instanceof RpcFailure) {
        metrics.chainServerFailed(this.name, error.reason);
        this.#failed(error.reason);
      }
      throw error;
    }
  }

  /** It has just said that it is on the chain it should be on. */
  own(): void {
    this.#wordHoldsUntil = this.#options.clock.monotonic() + WORD_MS;
  }

  /** It said so a moment ago, and no call has failed since. */
  get isOwn(): boolean {
    return this.#options.clock.monotonic() < this.#wordHoldsUntil;
  }

  /** It is on another chain, or says so. */
  disown(): RpcFailure {
    this.#options.metrics.chainServerFailed(this.name, "wrong_chain");
    this.#failed("wrong_chain");
    return new RpcFailure("wrong_chain");
  }

  #failed(reason: FailureReason): void {
    const { clock, log } = this.#options;
    this.#wordHoldsUntil = 0;
    this.#failures += 1;
    if (this.#failures < FAILURES_MAX) return;
    // From now on one call tries it after each rest.
    this.#restsUntil = clock.monotonic() + REST_MS;
    if (this.#failures === FAILURES_MAX) log.warn({ server: this.name, reason }, "a chain's server is left alone");
  }

  async #ask(method: string, params: readonly unknown[], signal: AbortSignal | undefined): Promise<unknown> {
    const { url, callMs } = this.#options;
    const id = ++this.#calls;
    const leave = new AbortController();
    const timer = setTimeout(() => leave.abort(TIMEOUT), callMs);
    try {
      const response = await fetch(url, {
        method: "POST",
        headers: { "content-type": "application/json", accept: "application/json", "accept-encoding": "identity" },
        body: JSON.stringify({ jsonrpc: "2.0", id, method, params }),
        redirect: "manual",
        decompress: false,
        signal: signal === undefined ? leave.signal : AbortSignal.any([leave.signal, signal]),
      });
      return readEnvelope(id, response.status, await readBody(response));
    } catch (error) {
      if (error instanceof RpcRefusal) throw error;
      const reason = leave.signal.reason === TIMEOUT ? "timeout" : "connection";
      leave.abort(); // what was not read must not hold the connection
      throw error instanceof RpcFailure ? error : new RpcFailure(reason);
    } finally {
      clearTimeout(timer);
    }
  }
}

/** Some servers send the errors of JSON-RPC with a status of their own, so the body comes first. */
function readEnvelope(id: number, status: number, body: Uint8Array): unknown {
  if (status === 429) throw new RpcFailure("limited");
  if (status >= 500 || (status >= 300 && status < 400)) throw new RpcFailure("status");
  const envelope = parse(body);
  if (!fits(Envelope, envelope) || envelope.id !== id) throw new RpcFailure(status === 200 ? "malformed" : "status");
  if ("error" in envelope) throw new RpcRefusal(envelope.error.code, envelope.error.message);
  return envelope.result;
}

async function readBody(response: Response): Promise<Uint8Array> {
  const { body, headers } = response;
  if ((headers.get("content-encoding") ?? "identity") !== "identity") throw new RpcFailure("malformed");
  const told = headers.get("content-length");
  if (Number(told ?? 0) > ANSWER_MAX) throw new RpcFailure("too_large");
  // HTTP holds the body to its length, unless it comes in chunks.
  if (told !== null && headers.get("transfer-encoding") === null) return response.bytes();
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body ?? []) {
    length += chunk.byteLength;
    if (length > ANSWER_MAX) throw new RpcFailure("too_large");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Integers past what a number holds exactly come as bigints: Solana writes its amounts as numbers, whatever their size. */
function parse(body: Uint8Array): unknown {
  try {
    const text = UTF8.decode(body);
    return LONG_INTEGER.test(text) ? JSON.parse(text, exactly) : JSON.parse(text);
  } catch {
    throw new RpcFailure("malformed");
  }
}

function exactly(_: string, value: unknown, context?: { source?: string }): unknown {
  const source = context?.source ?? "";
  const isInexact = typeof value === "number" && !Number.isSafeInteger(value) && /^-?\d+$/.test(source);
  return isInexact ? BigInt(source) : value;
}
