import type { Site } from "@parley/protocol/site";
import { Attachments, type FileCalls } from "../model/files/attachments.ts";
import { fileLimitsOf, readFile, removeFile } from "../model/files/file-calls.ts";
import { uploadFile } from "../model/files/upload.ts";

const CALLS: FileCalls = { upload: uploadFile, record: readFile, remove: removeFile };

/** The files of all drafts. They outlive the composer, so that an upload goes on while another channel is open. */
export class DraftedFiles {
  readonly #drafts = new Map<string, Attachments>();
  readonly #site: () => Site | null;

  constructor(site: () => Site | null) {
    this.#site = site;
  }

  /** Returns the files of a draft, by the draft's name. */
  of(draft: string): Attachments {
    const known = this.#drafts.get(draft);
    if (known !== undefined) return known;
    const limits = () => ({ maxBytes: fileLimitsOf(this.#site())?.maxBytes ?? null });
    const attachments = new Attachments({ draft, calls: CALLS, limits });
    this.#drafts.set(draft, attachments);
    return attachments;
  }

  /** Stops all uploads, because the user has changed. What was uploaded is still in the stored drafts. */
  forget(): void {
    for (const attachments of this.#drafts.values()) attachments.close();
    this.#drafts.clear();
  }
}
