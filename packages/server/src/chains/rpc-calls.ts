import { type Static, Type } from "typebox";
import type { Clock } from "../clock.ts";
import { fits } from "../http/fits.ts";
import { answerMax } from "./rpc-answer-size.ts";
import { RpcFailure, RpcRefusal } from "./rpc-failure.ts";
import { post } from "./rpc-http.ts";
import { RpcTurns } from "./rpc-turns.ts";

/** How long a server that has not answered a batch as one is asked call by call. */
const SINGLY_MS = 10 * 60_000;
/** Exchanges with one server that are under way at a time. */
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

/** The answers by the call's id; null: they have to be asked for one by one. */
type Answers = ReadonlyMap<number, Envelope> | null;

/**
 * What one server is asked over HTTP. Calls of one question (with the same signal) that are made in the same turn are one batch of JSON-RPC,
 * where the server takes batches: the request is most of what a call costs. Which do not is found out and remembered.
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

  /** The result, of whatever shape. @throws RpcFailure, RpcRefusal */
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
      // It takes no batches, or cannot answer just now: alone each call is told which.
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
    if (fits(Envelope, body) && body.id === call.id) return body;
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

/** Whatever it says with such a status is not an answer. */
const isBroken = (status: number): boolean => status >= 500 || (status >= 300 && status < 400);

/** A batch is answered when every call is, once: of one that is not, nothing is believed. @throws RpcFailure */
function byId(calls: readonly Call[], body: readonly unknown[]): Answers {
  if (!fits(Envelopes, body)) throw new RpcFailure("malformed");
  const answers = new Map(body.map((envelope) => [envelope.id, envelope]));
  const isWhole = body.length === calls.length && calls.every(({ id }) => answers.has(id));
  if (!isWhole) throw new RpcFailure("malformed");
  return answers;
}
