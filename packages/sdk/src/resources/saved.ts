import type {
  SavedIdsResponse,
  SavedListResponse,
  SavedMessage,
  SavedQuery,
  SavedResponse,
} from "@parley/protocol/saved";
import type { Http } from "../http.ts";
import { byId, type PagePromise } from "../page.ts";
import type { RequestOptions } from "../request-options.ts";

const PATH = "/api/saved";
const PAGES = { items: ({ saved }: SavedListResponse) => saved, next: byId };

/** The messages that the session's user has saved (protocol §13.14). Every method throws `ParleyError`. */
export class Saved {
  readonly #http: Http;

  constructor(http: Http) {
    this.#http = http;
  }

  /** Saves a message. Idempotent. */
  add(messageId: number, options?: RequestOptions): Promise<SavedResponse> {
    return this.#http.json({ method: "PUT", path: `${PATH}/${messageId}`, idempotent: true }, options);
  }

  /** Removes a message from the saved ones. Idempotent. */
  remove(messageId: number, options?: RequestOptions): Promise<SavedResponse> {
    return this.#http.json({ method: "DELETE", path: `${PATH}/${messageId}`, idempotent: true }, options);
  }

  /** Returns a page of saved messages, the newest first. Those that the user may not read now have no `chat_message`. */
  list(query: SavedQuery = {}, options?: RequestOptions): PagePromise<SavedListResponse, SavedMessage> {
    return this.#http.pages(PATH, query, PAGES, options);
  }

  /** Returns the ids of all saved messages, the newest first. */
  ids(options?: RequestOptions): Promise<SavedIdsResponse> {
    return this.#http.json({ method: "GET", path: `${PATH}/ids` }, options);
  }
}
