import type {
  ChannelFile,
  ChannelFilesResponse,
  DeleteFileResponse,
  FileKind,
  FileResponse,
} from "@parley/protocol/files";
import { ParleyError } from "../errors.ts";
import type { Http } from "../http.ts";
import { newIdempotencyKey } from "../idempotency-key.ts";
import { byId, type PagePromise } from "../page.ts";
import type { CreateOptions, RequestOptions } from "../request-options.ts";

/** Files (protocol §13.2). Every method throws `ParleyError`. */
export class Files {
  readonly #http: Http;

  constructor(http: Http) {
    this.#http = http;
  }

  /**
   * Uploads a file; send it with `file_ids`. `name` is needed for bytes and a Blob; a File has its own. `altText`
   * describes the file to people who cannot see it. Uploads once, even if the
   * answer is lost and the call retried.
   */
  upload(
    file: Uint8Array<ArrayBuffer> | Blob,
    { name, altText }: { name?: string; altText?: string } = {},
    options: CreateOptions = {},
  ): Promise<FileResponse> {
    const form = new FormData();
    const blob = file instanceof Blob ? file : new Blob([file]);
    form.set("file", blob, name ?? (blob instanceof File ? blob.name : "file"));
    if (altText !== undefined) form.set("alt_text", altText);
    const headers = { "idempotency-key": options.idempotencyKey ?? newIdempotencyKey() };
    return this.#http.json({ method: "POST", path: "/api/files", form, headers, idempotent: true }, options);
  }

  /** Returns the record of a file, also while it is scanned. */
  record(fileId: number, options?: RequestOptions): Promise<FileResponse> {
    return this.#http.json({ method: "GET", path: `${filePath(fileId)}/record` }, options);
  }

  /** Returns the file's bytes and media type. */
  download(fileId: number, options?: RequestOptions): Promise<{ bytes: Uint8Array; type: string }> {
    return this.#http.bytes({ method: "GET", path: filePath(fileId), mayRedirect: true }, options);
  }

  /** Returns the file's bytes; stops with the error `file_too_large` when there are more than `maxBytes`. */
  async read(fileId: number, maxBytes: number, options?: RequestOptions): Promise<Uint8Array<ArrayBuffer>> {
    const stream = await this.#http.stream({ method: "GET", path: filePath(fileId), mayRedirect: true }, options);
    const pieces: Uint8Array[] = [];
    let length = 0;
    const reader = stream.getReader();
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
      length += piece.value.length;
      pieces.push(piece.value);
      if (length <= maxBytes) continue;
      await reader.cancel();
      throw new ParleyError("file_too_large", `The file has more than ${maxBytes} bytes.`);
    }
    const bytes = new Uint8Array(length);
    let at = 0;
    for (const piece of pieces) {
      bytes.set(piece, at);
      at += piece.length;
    }
    return bytes;
  }

  /** Returns the preview of a picture, as WebP of at most 480 or 1,280 pixels. */
  preview(
    fileId: number,
    size: 480 | 1280 = 480,
    options?: RequestOptions,
  ): Promise<{ bytes: Uint8Array; type: string }> {
    return this.#http.bytes(
      { method: "GET", path: `${filePath(fileId)}/preview?size=${size}`, mayRedirect: true },
      options,
    );
  }

  /** Changes the description of the caller's own file; null removes it. If the file was sent, its message is edited. */
  describe(fileId: number, altText: string | null, options?: RequestOptions): Promise<FileResponse> {
    return this.#http.json({ method: "PUT", path: filePath(fileId), body: { alt_text: altText } }, options);
  }

  /** Deletes the caller's own file before it is sent. */
  remove(fileId: number, options?: RequestOptions): Promise<DeleteFileResponse> {
    return this.#http.json({ method: "DELETE", path: filePath(fileId) }, options);
  }

  /** Lists the files of a channel, the last uploaded first. */
  ofChannel(
    channelId: number,
    query: { kind?: FileKind; before?: number; limit?: number } = {},
    options?: RequestOptions,
  ): PagePromise<ChannelFilesResponse, ChannelFile> {
    const list = { items: ({ files }: ChannelFilesResponse) => files, next: byId };
    return this.#http.pages(`/api/channels/${channelId}/files`, query, list, options);
  }
}

const filePath = (fileId: number): string => `/api/files/${fileId}`;
