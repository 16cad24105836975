import type { FileRecord } from "@parley/protocol/files";

/**
 * A file on its way into a message. `waiting`: for other uploads; `checking`: uploaded, and the server has not yet found
 * it clean; `ready`: it can be sent; `failed`: the upload can be tried again; `refused`: it cannot be sent.
 */
export interface Attachment {
  readonly key: string;
  readonly name: string;
  readonly sizeBytes: number;
  /** The media type, as the browser guesses it until the server has found it. */
  readonly type: string;
  readonly altText: string;
  readonly state: "waiting" | "uploading" | "checking" | "ready" | "failed" | "refused";
  /** The uploaded part, from 0 to 1. */
  readonly part: number;
  /** Why it failed or was refused. */
  readonly problem: Problem | null;
  /** The bytes; null for a file that was uploaded before the page was loaded. */
  readonly file: File | null;
  /** The uploaded file. */
  readonly record: FileRecord | null;
}

/** A server's or the network's error, or what the page finds wrong before it uploads. */
export type Problem =
  | { kind: "error"; error: unknown }
  | { kind: "empty" }
  | { kind: "too_large"; maxBytes: number }
  | { kind: "blocked" };

/** What the site takes; null: not known yet, or anything. */
export interface FileLimits {
  maxBytes: number | null;
}

/** Returns why a file need not be uploaded: it would be refused. */
export function problemOf({ size }: Pick<File, "size">, { maxBytes }: FileLimits): Problem | null {
  if (size === 0) return { kind: "empty" };
  return maxBytes !== null && size > maxBytes ? { kind: "too_large", maxBytes } : null;
}

/** What a draft's files are doing, together. */
export interface Progress {
  /** Why the message cannot be sent yet; null: it can. */
  holds: "uploading" | "checking" | "problem" | null;
  count: number;
  done: number;
  /** The uploaded part of all bytes, in whole percent. */
  percent: number;
}

/** Sums up a draft's files. */
export function progressOf(all: readonly Attachment[]): Progress {
  const has = (...states: Attachment["state"][]) => all.some(({ state }) => states.includes(state));
  const sent = all.filter(({ state }) => state !== "refused");
  const bytes = sent.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  const uploaded = sent.reduce((sum, { sizeBytes, part }) => sum + sizeBytes * part, 0);
  return {
    holds: has("failed", "refused")
      ? "problem"
      : has("waiting", "uploading")
        ? "uploading"
        : has("checking")
          ? "checking"
          : null,
    count: all.length,
    done: all.filter(({ state }) => state === "ready").length,
    percent: bytes === 0 ? 100 : Math.floor((uploaded / bytes) * 100),
  };
}
