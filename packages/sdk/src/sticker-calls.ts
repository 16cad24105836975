import type { DeleteStickerAnswer, ListStickersAnswer, UploadStickerAnswer } from "@parley/protocol/stickers";
import type { Http } from "./http.ts";

/** Stickers (protocol §4). Every method throws `ParleyError`. */
export class StickerCalls {
  readonly #http: Http;

  constructor(http: Http) {
    this.#http = http;
  }

  /** Uploads a GIF. The same bytes return the same sticker, so it is retried safely when its answer is lost. */
  upload(gif: Uint8Array<ArrayBuffer> | Blob, name?: string): Promise<UploadStickerAnswer> {
    const form = new FormData();
    const file = gif instanceof Blob ? gif : new Blob([gif], { type: "image/gif" });
    form.set("file", file, file instanceof File ? file.name : "sticker.gif");
    if (name !== undefined) form.set("sticker_name", name);
    return this.#http.json({ method: "POST", path: "/api/stickers/upload", form, repeatable: true });
  }

  /** Lists all stickers of a user, or without a name the caller's own. */
  list(username?: string): Promise<ListStickersAnswer> {
    return this.#http.json({ method: "GET", path: "/api/stickers", query: { username } });
  }

  /** Deletes a sticker. It can no longer be sent; messages that show it keep it. */
  remove(stickerId: number): Promise<DeleteStickerAnswer> {
    return this.#http.json({ method: "DELETE", path: stickerPath(stickerId) });
  }

  /** Returns the GIF's bytes and media type. */
  file(stickerId: number): Promise<{ bytes: Uint8Array; type: string }> {
    return this.#http.bytes({ method: "GET", path: `${stickerPath(stickerId)}/file` });
  }

  /** Returns the GIF's URL, for an image in a page; it may be cached forever. */
  fileUrl(stickerId: number): string {
    return `${this.#http.url}${stickerPath(stickerId)}/file`;
  }
}

const stickerPath = (stickerId: number): string => `/api/stickers/${stickerId}`;
