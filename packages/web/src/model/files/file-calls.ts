import type { FileRecord } from "@parley/protocol/files";
import type { Site } from "@parley/protocol/site";
import type { ActorKind } from "@parley/protocol/values";
import { ParleyError } from "@parley/sdk";
import { errorOf } from "./error-answer.ts";
import type { FileKind } from "./file-kind.ts";

/** A file with the message that it was sent with. */
export type ChannelFile = FileRecord & { message_id: number; seq: number; sender: { kind: ActorKind; name: string } };

interface FilePage {
  files: ChannelFile[];
  next_before: number | null;
}

/** Returns what the site takes; null: it takes no files, or has not answered yet. */
export function fileLimitsOf(site: Site | null): { maxBytes: number; types: readonly string[] | null } | null {
  if (site === null || !("file_max_bytes" in site) || typeof site.file_max_bytes !== "number") return null;
  const types = "file_types" in site && Array.isArray(site.file_types) ? site.file_types.map(String) : null;
  return { maxBytes: site.file_max_bytes, types };
}

/** Returns a file's record, also while it is scanned. Rejects with a `ParleyError`. */
export async function readFile(fileId: number): Promise<FileRecord> {
  return (await call<{ file: FileRecord }>("GET", `/api/files/${fileId}/record`)).file;
}

/** Deletes an unsent file. Rejects with a `ParleyError`. */
export const removeFile = (fileId: number): Promise<unknown> => call("DELETE", `/api/files/${fileId}`);

/** Returns a page of a channel's files, newest first. Rejects with a `ParleyError`. */
export function listFiles(
  channelId: number,
  { kind, before, limit }: { kind: FileKind | null; before: number | undefined; limit: number },
): Promise<FilePage> {
  const query = new URLSearchParams({ limit: String(limit) });
  if (kind !== null) query.set("kind", kind);
  if (before !== undefined) query.set("before", String(before));
  return call("GET", `/api/channels/${channelId}/files?${query}`);
}

async function call<T>(method: "GET" | "DELETE", path: string): Promise<T> {
  const { response, body } = await answerOf(method, path);
  if (!response.ok || body === null) throw errorOf(body, response.status, response.headers.get("retry-after"));
  return body as T;
}

async function answerOf(method: string, path: string): Promise<{ response: Response; body: unknown }> {
  try {
    const response = await fetch(path, { method });
    return { response, body: await response.json().catch(() => null) };
  } catch (cause) {
    throw new ParleyError("network_error", `${path}: ${String(cause)}`, { cause });
  }
}
