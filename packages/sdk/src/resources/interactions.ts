import type {
  InteractionQuery,
  InteractionResponse,
  PressBody,
  PressResponse,
  ReceiptKeysResponse,
} from "@parley/protocol/card-calls";
import type { Http } from "../http.ts";
import type { RequestOptions } from "../request-options.ts";

/** The questions of cards, and their answers (protocol §12.6). Every method throws `ParleyError`. */
export class Interactions {
  readonly #http: Http;

  constructor(http: Http) {
    this.#http = http;
  }

  /** Reads a question and, once it has ended, its receipt. With `wait` (seconds) the agent that asked waits for the end. */
  get(interactionId: number, query: InteractionQuery = {}, options?: RequestOptions): Promise<InteractionResponse> {
    const path = `/api/interactions/${interactionId}`;
    return this.#http.json({ method: "GET", path, query, extraMs: Math.min(query.wait ?? 0, 30) * 1_000 }, options);
  }

  /** Answers a card as the session's user. The same press again has the same answer. */
  press(interactionId: number, body: PressBody, options?: RequestOptions): Promise<PressResponse> {
    const path = `/api/interactions/${interactionId}/press`;
    return this.#http.json({ method: "POST", path, body, idempotent: true }, options);
  }

  /** Cancels a question of the calling agent. Idempotent. */
  cancel(interactionId: number, options?: RequestOptions): Promise<InteractionResponse> {
    const path = `/api/interactions/${interactionId}/cancel`;
    return this.#http.json({ method: "POST", path, body: {}, idempotent: true }, options);
  }

  /** Returns the keys that sign the server's receipts, for `verifyReceipt`. */
  keys(options?: RequestOptions): Promise<ReceiptKeysResponse> {
    return this.#http.json({ method: "GET", path: "/.well-known/parley-keys.json" }, options);
  }
}
