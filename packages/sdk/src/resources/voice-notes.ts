import type { FileResponse } from "@parley/protocol/files";
import type { TranscriptBody, VoiceClaim } from "@parley/protocol/voice-notes";
import type { Http } from "../http.ts";
import { newIdempotencyKey } from "../idempotency-key.ts";
import type { CreateOptions, RequestOptions } from "../request-options.ts";

/** Voice notes and their transcripts (protocol §13.18). Every method throws `ParleyError`. */
export class VoiceNotes {
  readonly #http: Http;

  constructor(http: Http) {
    this.#http = http;
  }

  /** Uploads a recording as a voice note, once; send it with `file_ids`. It is sound alone, in WebM, MP4, Ogg, MP3 or WAV. */
  upload(
    recording: Uint8Array<ArrayBuffer> | Blob,
    voice: VoiceClaim,
    { name = "voice-note" }: { name?: string } = {},
    options: CreateOptions = {},
  ): Promise<FileResponse> {
    const form = new FormData();
    form.set("file", recording instanceof Blob ? recording : new Blob([recording]), name);
    form.set("voice", JSON.stringify(voice));
    // Not by `Files`, which would then be in the page's first script.
    const headers = { "idempotency-key": options.idempotencyKey ?? newIdempotencyKey() };
    return this.#http.json({ method: "POST", path: "/api/files", form, headers, idempotent: true }, options);
  }

  /** Writes the words of a voice note that was sent: for its sender, and for agents in its channel. */
  transcribe(fileId: number, body: TranscriptBody, options?: RequestOptions): Promise<FileResponse> {
    return this.#http.json({ method: "PUT", path: pathOf(fileId), body, idempotent: true }, options);
  }

  /** Removes the words of a voice note. */
  removeTranscript(fileId: number, options?: RequestOptions): Promise<FileResponse> {
    return this.#http.json({ method: "DELETE", path: pathOf(fileId) }, options);
  }
}

const pathOf = (fileId: number): string => `/api/files/${fileId}/transcript`;
