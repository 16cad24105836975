import type { Sticker } from "@parley/protocol/models";
import type { DeleteStickerResponse, ListStickersResponse, UploadStickerResponse } from "@parley/protocol/stickers";
import type { Http } from "../http.ts";
import type { PagePromise } from "../page.ts";
import type { RequestOptions } from "../request-options.ts";

/** Stickers (protocol §4). Every method throws `ParleyError`. */
export class Stickers {
  readonly #http: Http;

  constructor(http: Http) {
    this.#http = http;
  }

  /** Uploads a GIF. The same bytes return the same sticker, so it is retried safely when its answer is lost. */
  upload(gif: Uint8Array<ArrayBuffer> | Blob, name?: string, options?: RequestOptions): Promise<UploadStickerResponse> {
    const form = new FormData();
    const file = gif instanceof Blob ? gif : new Blob([gif], { type: "image/gif" });
    form.set("file", file, file instanceof File ? file.name : "sticker.gif");
    if (name !== undefined) form.set("sticker_name", name);
    return this.#http.json({ method: "POST", path: "/api/stickers/upload", form, idempotent: true }, options);
  }

  /** Lists all stickers of a user, or without a name the caller's own. */
  list(username?: string, options?: RequestOptions): PagePromise<ListStickersResponse, Sticker> {
    const list = { items: ({ stickers }: ListStickersResponse) => stickers };
    return this.#http.pages("/api/stickers", { username }, list, options);
  }

  /** Deletes a sticker. It can no longer be sent; messages that show it keep it. */
  remove(stickerId: number, options?: RequestOptions): Promise<DeleteStickerResponse> {
    return this.#http.json({ method: "DELETE", path: stickerPath(stickerId) }, options);
  }

  /** Returns the GIF's bytes and media type. */
  file(stickerId: number, options?: RequestOptions): Promise<{ bytes: Uint8Array; type: string }> {
    return this.#http.bytes({ method: "GET", path: `${stickerPath(stickerId)}/file` }, options);
  }

  /** Returns the GIF's URL, for an image in a page; it may be cached forever. */
  fileUrl(stickerId: number): string {
    return `${this.#http.url}${stickerPath(stickerId)}/file`;
  }
}

const stickerPath = (stickerId: number): string => `/api/stickers/${stickerId}`;
