import type { ForwardBody, ForwardResponse, ForwardsResponse } from "@parley/protocol/forwards";
import type { Http } from "../http.ts";
import { newIdempotencyKey } from "../idempotency-key.ts";
import type { RequestOptions } from "../request-options.ts";

/** Messages that are sent on to other channels (protocol §13.15). Every method throws `ParleyError`. */
export class Forwards {
  readonly #http: Http;

  constructor(http: Http) {
    this.#http = http;
  }

  /**
   * Sends a message on to another channel, once: it carries an idempotency key. Where the message may not be copied, only
   * a link goes along.
   */
  create(messageId: number, body: ForwardBody, options?: RequestOptions): Promise<ForwardResponse> {
    const keyed = { ...body, client_msg_id: body.client_msg_id ?? newIdempotencyKey() };
    const path = `/api/messages/${messageId}/forward`;
    return this.#http.json({ method: "POST", path, body: keyed, idempotent: true }, options);
  }

  /** Finds the sources of up to 100 forwarded messages, as far as the caller may read them. */
  sources(messageIds: readonly number[], options?: RequestOptions): Promise<ForwardsResponse> {
    const query = { message_ids: messageIds.join(",") };
    return this.#http.json({ method: "GET", path: "/api/forwards", query }, options);
  }
}
