import type { AddEmojiResponse, DeleteEmojiResponse, Emoji, ListEmojiResponse } from "@parley/protocol/emoji";
import type { Http } from "../http.ts";
import { newIdempotencyKey } from "../idempotency-key.ts";
import type { CreateOptions, RequestOptions } from "../request-options.ts";

/**
 * The emoji of the server (protocol §13.17): write one as `:name:`, and react with its name. Every method throws
 * `ParleyError`.
 */
export class CustomEmoji {
  readonly #http: Http;

  constructor(http: Http) {
    this.#http = http;
  }

  /** Lists all of them, in the order of their names. */
  list(options?: RequestOptions): Promise<ListEmojiResponse> {
    return this.#http.json({ method: "GET", path: "/api/emoji" }, options);
  }

  /** Adds an emoji for everybody, as the session's user. The picture is a PNG, JPEG, WebP or GIF. */
  add(name: string, picture: Uint8Array<ArrayBuffer> | Blob, options: CreateOptions = {}): Promise<AddEmojiResponse> {
    const form = new FormData();
    form.set("name", name);
    form.set("picture", picture instanceof Blob ? picture : new Blob([picture]), "emoji");
    const headers = { "idempotency-key": options.idempotencyKey ?? newIdempotencyKey() };
    return this.#http.json({ method: "POST", path: "/api/emoji", form, headers, idempotent: true }, options);
  }

  /** Deletes an emoji: messages and reactions that name it show its name. */
  remove(name: string, options?: RequestOptions): Promise<DeleteEmojiResponse> {
    return this.#http.json({ method: "DELETE", path: `/api/emoji/${encodeURIComponent(name)}` }, options);
  }

  /** Returns the bytes and media type of a picture. */
  picture(emoji: Pick<Emoji, "url"> | string, options?: RequestOptions): Promise<{ bytes: Uint8Array; type: string }> {
    const url = typeof emoji === "string" ? `/api/emoji/${encodeURIComponent(emoji)}/picture` : emoji.url;
    const [path = "", query] = url.split("?v=");
    return this.#http.bytes({ method: "GET", path, query: { v: query } }, options);
  }
}
