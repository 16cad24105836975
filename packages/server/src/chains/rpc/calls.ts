import { type Static, Type } from "typebox";
import type { Clock } from "../../clock.ts";
import { matchesSchema } from "../../http/body/validate.ts";
import { answerMax } from "./answer-size.ts";
import { RpcFailure, RpcRefusal } from "./failure.ts";
import { post } from "./http.ts";

/** How long calls to a server are sent one by one after it failed to answer a batch. */
const SINGLY_MS = 10 * 60_000;
/** Maximum concurrent requests to one server. */
const AT_ONCE = 16;

const Envelope = Type.Union([
  Type.Object({ id: Type.Integer(), result: Type.Unknown() }),
  Type.Object({ id: Type.Integer(), error: Type.Object({ code: Type.Integer(), message: Type.String() }) }),
]);
type Envelope = Static<typeof Envelope>;
const Envelopes = Type.Array(Envelope);

interface Call {
  readonly jsonrpc: "2.0";
  readonly id: number;
  readonly method: string;
  readonly params: readonly unknown[];
}

/** The answers by call id; null if the calls must be sent one by one. */
type Answers = ReadonlyMap<number, Envelope> | null;

/**
 * The HTTP requests to one server. Calls of one query (with the same signal) made in the same turn share a JSON-RPC
 * batch if the server accepts batches, because most of a call's cost is the request. Servers that do not are detected
 * and remembered.
 */
export class RpcCalls {
  readonly #url: string;
  readonly #callMs: number;
  readonly #clock: Clock;
  readonly #gathering = new Map<AbortSignal, { calls: Call[]; answers: Promise<Answers> }>();
  readonly #turns = new RpcTurns(AT_ONCE);
  #ids = 0;
  #singlyUntil = 0;

  constructor({ url, callMs, clock }: { url: string; callMs: number; clock: Clock }) {
    this.#url = url;
    this.#callMs = callMs;
    this.#clock = clock;
  }

  /** Returns the result, whose shape is not checked. @throws RpcFailure, RpcRefusal */
  async ask(method: string, params: readonly unknown[], signal: AbortSignal | undefined): Promise<unknown> {
    const call: Call = { jsonrpc: "2.0", id: ++this.#ids, method, params };
    const answers = signal === undefined ? null : await this.#gathered(call, signal);
    const envelope = answers === null ? await this.#alone(call, signal) : answers.get(call.id);
    if (envelope === undefined) throw new RpcFailure("malformed");
    if ("error" in envelope) throw new RpcRefusal(envelope.error.code, envelope.error.message);
    return envelope.result;
  }

  #gathered(call: Call, signal: AbortSignal): Promise<Answers> | null {
    if (this.#clock.monotonic() < this.#singlyUntil) return null;
    const known = this.#gathering.get(signal);
    if (known !== undefined) {
      known.calls.push(call);
      return known.answers;
    }
    const calls = [call];
    const answers = Promise.resolve().then(() => {
      this.#gathering.delete(signal);
      return calls.length === 1 ? null : this.#together(calls, signal);
    });
    this.#gathering.set(signal, { calls, answers });
    return answers;
  }

  async #together(calls: readonly Call[], signal: AbortSignal): Promise<Answers> {
    try {
      const { status, body } = await this.#post(calls, signal);
      if (Array.isArray(body) && !isBroken(status)) return byId(calls, body);
      // It accepts no batches, or cannot answer just now: sent alone, each call learns which.
      this.#singly();
      return null;
    } catch (error) {
      const isTooLarge = error instanceof RpcFailure && error.reason === "too_large";
      if (!signal.aborted && !isTooLarge) this.#singly();
      throw error;
    }
  }

  async #alone(call: Call, signal: AbortSignal | undefined): Promise<Envelope> {
    const { status, body } = await this.#post([call], signal);
    if (isBroken(status)) throw new RpcFailure("status");
    if (matchesSchema(Envelope, body) && body.id === call.id) return body;
    throw new RpcFailure(status === 200 ? "malformed" : "status");
  }

  async #post(calls: readonly Call[], signal: AbortSignal | undefined) {
    const asked = JSON.stringify(calls.length === 1 ? calls[0] : calls);
    const bytes = calls.reduce((sum, { method }) => sum + answerMax(method), 0);
    const said = await this.#turns.run(signal, () => post(this.#url, asked, { ms: this.#callMs, bytes, signal }));
    if (said.status === 429) throw new RpcFailure("limited");
    return said;
  }

  #singly(): void {
    this.#singlyUntil = this.#clock.monotonic() + SINGLY_MS;
  }
}

/** Ignores the body of a response with such a status. */
const isBroken = (status: number): boolean => status >= 500 || (status >= 300 && status < 400);

/** Accepts a batch only if every call is answered exactly once; otherwise trusts none of it. @throws RpcFailure */
function byId(calls: readonly Call[], body: readonly unknown[]): Answers {
  if (!matchesSchema(Envelopes, body)) throw new RpcFailure("malformed");
  const answers = new Map(body.map((envelope) => [envelope.id, envelope]));
  const isWhole = body.length === calls.length && calls.every(({ id }) => answers.has(id));
  if (!isWhole) throw new RpcFailure("malformed");
  return answers;
}

/** Limits the concurrent requests to one server, so that slow and large answers cannot pile up in memory. */
class RpcTurns {
  readonly #atOnce: number;
  #running = 0;
  readonly #waiting = new Set<() => void>();

  constructor(atOnce: number) {
    this.#atOnce = atOnce;
  }

  /** Runs `act` when a place is free. @throws RpcFailure if the signal is aborted before that; whatever `act` throws */
  async run<T>(signal: AbortSignal | undefined, act: () => Promise<T>): Promise<T> {
    if (this.#running < this.#atOnce) this.#running += 1;
    else await this.#turn(signal);
    try {
      return await act();
    } finally {
      const [next] = this.#waiting;
      if (next === undefined) this.#running -= 1;
      else {
        this.#waiting.delete(next);
        next(); // passes its place on
      }
    }
  }

  #turn(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        this.#waiting.delete(go);
        reject(new RpcFailure("timeout"));
      };
      const go = (): void => {
        signal?.removeEventListener("abort", leave);
        resolve();
      };
      if (signal?.aborted === true) return leave();
      signal?.addEventListener("abort", leave, { once: true });
      this.#waiting.add(go);
    });
  }
}
