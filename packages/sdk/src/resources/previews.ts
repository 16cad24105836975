import type { RemovePreviewResponse } from "@parley/protocol/previews";
import type { Http } from "../http.ts";
import type { RequestOptions } from "../request-options.ts";

/** Previews of the links in messages (protocol §13.4). Every method throws `ParleyError`. */
export class Previews {
  readonly #http: Http;

  constructor(http: Http) {
    this.#http = http;
  }

  /**
   * Removes one preview of a message, for everyone. `url`: its link, so that the call never removes another preview that
   * has moved to this place.
   */
  remove(
    messageId: number,
    index: number,
    { url, ...options }: RequestOptions & { url?: string } = {},
  ): Promise<RemovePreviewResponse> {
    const path = `/api/messages/${messageId}/previews/${index}`;
    return this.#http.json({ method: "DELETE", path, query: url === undefined ? {} : { url } }, options);
  }

  /** Returns the picture of a preview; `imageUrl` is its `image_url`. */
  picture(imageUrl: string, options?: RequestOptions): Promise<{ bytes: Uint8Array; type: string }> {
    const path = `/api/preview-pictures/${encodeURIComponent(imageUrl.split("/").at(-1) ?? "")}`;
    return this.#http.bytes({ method: "GET", path, mayRedirect: true }, options);
  }
}
