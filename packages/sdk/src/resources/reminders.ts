import type {
  ChangeReminderBody,
  CreateReminderBody,
  Reminder,
  ReminderResponse,
  RemindersQuery,
  RemindersResponse,
} from "@parley/protocol/reminders";
import type { Http } from "../http.ts";
import { newIdempotencyKey } from "../idempotency-key.ts";
import { byOffset, type PagePromise } from "../page.ts";
import type { CreateOptions, RequestOptions } from "../request-options.ts";

const PATH = "/api/reminders";
const PAGES = { items: ({ reminders }: RemindersResponse) => reminders, next: byOffset };

/** Reminders of messages, of the session's user (protocol §13.16). Every method throws `ParleyError`. */
export class Reminders {
  readonly #http: Http;

  constructor(http: Http) {
    this.#http = http;
  }

  /** Makes a reminder, once: a retry has the same `Idempotency-Key`. */
  create(body: CreateReminderBody, options: CreateOptions = {}): Promise<ReminderResponse> {
    const headers = { "idempotency-key": options.idempotencyKey ?? newIdempotencyKey() };
    return this.#http.json({ method: "POST", path: PATH, body, headers, idempotent: true }, options);
  }

  /** Returns a page of reminders, by their time. */
  list(query: RemindersQuery = {}, options?: RequestOptions): PagePromise<RemindersResponse, Reminder> {
    return this.#http.pages(PATH, query, PAGES, options);
  }

  /** Changes the time or the note of a reminder that waits. */
  change(id: number, body: ChangeReminderBody, options?: RequestOptions): Promise<ReminderResponse> {
    return this.#http.json({ method: "PUT", path: `${PATH}/${id}`, body, idempotent: true }, options);
  }

  /** Deletes a reminder, whether it waits or has ended. */
  remove(id: number, options?: RequestOptions): Promise<ReminderResponse> {
    return this.#http.json({ method: "DELETE", path: `${PATH}/${id}` }, options);
  }
}
