import type { Site } from "@parley/protocol/site";
import type { UserClient } from "@parley/sdk";
import { Attachments, type FileCalls } from "../model/files/attachments.ts";
import { fileLimitsOf } from "../model/files/file-limits.ts";
import { uploadFile } from "../model/files/upload.ts";

/** The files of all drafts. They outlive the composer, so that an upload goes on while another channel is open. */
export class DraftedFiles {
  readonly #drafts = new Map<string, Attachments>();
  readonly #calls: FileCalls;
  readonly #site: () => Site | null;

  constructor(client: UserClient, site: () => Site | null) {
    this.#calls = {
      upload: uploadFile,
      record: async (fileId) => (await client.files.record(fileId)).file,
      remove: (fileId) => client.files.remove(fileId),
    };
    this.#site = site;
  }

  /** Returns the files of a draft, by the draft's name. */
  of(draft: string): Attachments {
    const known = this.#drafts.get(draft);
    if (known !== undefined) return known;
    const limits = () => ({ maxBytes: fileLimitsOf(this.#site())?.maxBytes ?? null });
    const attachments = new Attachments({ draft, calls: this.#calls, limits });
    this.#drafts.set(draft, attachments);
    return attachments;
  }

  /** Stops all uploads, because the user has changed. What was uploaded is still in the stored drafts. */
  forget(): void {
    for (const attachments of this.#drafts.values()) attachments.close();
    this.#drafts.clear();
  }
}
