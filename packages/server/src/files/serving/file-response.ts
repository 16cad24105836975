import type { AppContext } from "../../context.ts";
import { fail } from "../../errors.ts";
import { hasTag } from "../../http/answers/respond.ts";
import { keyOf } from "../blobs.store.ts";
import type { FileRow } from "../files.store.ts";
import { fileStorage } from "../storage/open-storage.ts";
import { OPAQUE } from "../upload/file-type.ts";

/** What is served: bytes by their hash, and how. */
interface Served {
  sha256: string;
  size: number;
  mimeType: string;
  name: string;
}

const CACHED_SECONDS = 3_600;
const SIGNED_SECONDS = 60;

/**
 * Returns the answer with the bytes, or the asked part of them. They stream from the storage as fast as the client
 * reads. Nothing that is served here can act as a page: its type is on a short list or opaque, browsers may not guess
 * another, and the policy gives it no rights.
 * Errors: `file_not_found` if the storage has lost the bytes.
 */
export async function fileResponse(ctx: AppContext, request: Request, served: Served): Promise<Response> {
  const { sha256, size, mimeType } = served;
  const etag = `"${sha256.slice(0, 32)}"`;
  const isAttachment = mimeType === OPAQUE;
  const disposition = contentDisposition(isAttachment ? "attachment" : "inline", served.name);
  const cacheControl = `private, max-age=${CACHED_SECONDS}`;
  const headers: Record<string, string> = {
    etag,
    "cache-control": cacheControl,
    "accept-ranges": "bytes",
    "content-security-policy": "default-src 'none'; sandbox",
    "cross-origin-resource-policy": "same-origin",
    vary: "cookie, authorization",
  };
  if (hasTag(request, etag)) return new Response(null, { status: 304, headers });
  const type = mimeType === "text/plain" ? "text/plain; charset=utf-8" : mimeType;
  const storage = fileStorage(ctx);
  const key = await keyOf(ctx.db, sha256);
  if (storage.signedUrl !== undefined) {
    const answer = { contentType: type, contentDisposition: disposition, cacheControl };
    const location = storage.signedUrl(key, SIGNED_SECONDS, answer);
    return new Response(null, { status: 302, headers: { location, "cache-control": "no-store" } });
  }
  const ifRange = request.headers.get("if-range");
  const range = ifRange === null || ifRange === etag ? request.headers.get("range") : null;
  const wanted = wantedBytes(range, size);
  if (wanted === null)
    return new Response(null, { status: 416, headers: { ...headers, "content-range": `bytes */${size}` } });
  headers["content-type"] = type;
  headers["content-disposition"] = disposition;
  const isPart = wanted !== "whole";
  const length = isPart ? wanted.to - wanted.from + 1 : size;
  if (isPart) headers["content-range"] = `bytes ${wanted.from}-${wanted.to}/${size}`;
  headers["content-length"] = String(length);
  const status = isPart ? 206 : 200;
  if (request.method === "HEAD") return new Response(null, { status, headers });
  const bytes = await storage.read(key, isPart ? wanted : undefined);
  if (bytes === null) {
    ctx.log.error({ sha256 }, "the storage has lost a file");
    throw fail("file_not_found");
  }
  // As a stream: Bun applies the Range of the request a second time to a Blob of a file.
  return new Response(bytes instanceof Blob ? bytes.stream() : bytes, { status, headers });
}

/** Names the file for a download (RFC 6266): in ASCII for old clients, and encoded. */
export function contentDisposition(kind: "inline" | "attachment", name: string): string {
  const ascii = name.replace(/[^\x20-\x7e]|["\\%]/g, "_");
  const encoded = encodeURIComponent(name).replace(/['()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);
  return `${kind}; filename="${ascii}"; filename*=UTF-8''${encoded}`;
}

/** The bytes to send: the first and the last one, both included. `whole`: all; null: none of them exist. */
export type WantedBytes = { from: number; to: number } | "whole" | null;

/**
 * Reads a `Range` header (RFC 9110, 14.2). One range is served; a header that is malformed, has another unit or asks for
 * several ranges counts as absent, which the RFC allows. Positions beyond the safe integers are beyond every file.
 */
function wantedBytes(header: string | null, size: number): WantedBytes {
  const [, first = "", last = ""] = /^bytes=[ \t]*(\d{0,64})-(\d{0,64})[ \t]*$/i.exec(header ?? "") ?? [];
  if (first === "" && last === "") return "whole";
  if (first === "") {
    const length = Number(last);
    return length === 0 ? null : { from: Math.max(0, size - length), to: size - 1 };
  }
  const from = Number(first);
  if (last !== "" && Number(last) < from) return "whole";
  return from >= size ? null : { from, to: last === "" ? size - 1 : Math.min(Number(last), size - 1) };
}

/** Returns the preview of that size; null for a file without one. A picture that is small has only the small one. */
export async function servedPreview(ctx: AppContext, row: FileRow, size: 480 | 1280): Promise<Served | null> {
  const sha256 = size === 1280 ? (row.large_sha256 ?? row.small_sha256) : row.small_sha256;
  const length = sha256 === null ? null : await fileStorage(ctx).size(await keyOf(ctx.db, sha256));
  if (sha256 === null || length === null) return null;
  const name = `${row.name.replace(/\.[^.]*$/, "")}-${size}.webp`;
  return { sha256, size: length, mimeType: "image/webp", name };
}
