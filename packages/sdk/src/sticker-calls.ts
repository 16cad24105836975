import type { DeleteStickerAnswer, ListStickersAnswer, UploadStickerAnswer } from "@parley/protocol/stickers";
import type { Http } from "./http.ts";

/** Stickers (protocol §4). Every method throws `ParleyError`. */
export class StickerCalls {
  readonly #http: Http;

  constructor(http: Http) {
    this.#http = http;
  }

  /** Uploads a GIF. The same bytes again answer the same sticker, so it is repeated safely when its answer is lost. */
  upload(gif: Uint8Array<ArrayBuffer> | Blob, name?: string): Promise<UploadStickerAnswer> {
    const form = new FormData();
    const file = gif instanceof Blob ? gif : new Blob([gif], { type: "image/gif" });
    form.set("file", file, file instanceof File ? file.name : "sticker.gif");
    if (name !== undefined) form.set("sticker_name", name);
    return this.#http.json({ method: "POST", path: "/api/stickers/upload", form, repeatable: true });
  }

  /** All stickers of a user; one's own without a name. */
  list(username?: string): Promise<ListStickersAnswer> {
    return this.#http.json({ method: "GET", path: "/api/stickers", query: { username } });
  }

  /** Nobody can send it any more; messages that show it keep it. */
  remove(stickerId: number): Promise<DeleteStickerAnswer> {
    return this.#http.json({ method: "DELETE", path: stickerPath(stickerId) });
  }

  /** The GIF's bytes and media type. */
  file(stickerId: number): Promise<{ bytes: Uint8Array; type: string }> {
    return this.#http.bytes({ method: "GET", path: `${stickerPath(stickerId)}/file` });
  }

  /** Where the GIF is, for a picture in a page; it may be kept for ever. */
  fileUrl(stickerId: number): string {
    return `${this.#http.url}${stickerPath(stickerId)}/file`;
  }
}

const stickerPath = (stickerId: number): string => `/api/stickers/${stickerId}`;
