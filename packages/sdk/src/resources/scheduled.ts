import type {
  AgentScheduleBody,
  ChangeScheduledBody,
  ScheduleBody,
  ScheduledListResponse,
  ScheduledMessage,
  ScheduledQuery,
  ScheduledResponse,
} from "@parley/protocol/scheduled";
import type { Http } from "../http.ts";
import { newIdempotencyKey } from "../idempotency-key.ts";
import { byOffset, type PagePromise } from "../page.ts";
import type { CreateOptions, RequestOptions } from "../request-options.ts";

const PAGES = { items: ({ scheduled }: ScheduledListResponse) => scheduled, next: byOffset };

/**
 * Messages that the server sends later, of the session's user or of the agent (protocol §13.6). Every method throws
 * `ParleyError`.
 */
export class Scheduled<Body extends ScheduleBody | AgentScheduleBody> {
  readonly #http: Http;
  readonly #path: string;

  constructor(http: Http, path: string) {
    this.#http = http;
    this.#path = path;
  }

  /** Schedules a message, once: a retry has the same `Idempotency-Key`. */
  create(body: Body, options: CreateOptions = {}): Promise<ScheduledResponse> {
    const headers = { "idempotency-key": options.idempotencyKey ?? newIdempotencyKey() };
    return this.#http.json({ method: "POST", path: this.#path, body, headers, idempotent: true }, options);
  }

  /** Returns a page of scheduled messages, by the time of sending. */
  list(query: ScheduledQuery = {}, options?: RequestOptions): PagePromise<ScheduledListResponse, ScheduledMessage> {
    return this.#http.pages(this.#path, query, PAGES, options);
  }

  /** Changes the text or the time of a message that waits. */
  change(id: number, body: ChangeScheduledBody, options?: RequestOptions): Promise<ScheduledResponse> {
    return this.#http.json({ method: "PUT", path: `${this.#path}/${id}`, body, idempotent: true }, options);
  }

  /** Cancels a message that waits. */
  cancel(id: number, options?: RequestOptions): Promise<ScheduledResponse> {
    return this.#http.json({ method: "DELETE", path: `${this.#path}/${id}` }, options);
  }
}
