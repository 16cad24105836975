import type { FileRecord } from "@parley/protocol/files";
import { ParleyError } from "@parley/sdk";
import { errorOf } from "./error-answer.ts";

interface UploadOptions {
  file: File;
  altText: string;
  signal: AbortSignal;
  /** Called with the sent part of the bytes, from 0 to 1. */
  onProgress(part: number): void;
}

/**
 * Uploads a file. By XMLHttpRequest, because no other call reports the progress of an upload in every browser. Rejects
 * with a `ParleyError`, or with the signal's reason.
 */
export function uploadFile({ file, altText, signal, onProgress }: UploadOptions): Promise<FileRecord> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const request = new XMLHttpRequest();
    const abort = () => {
      request.abort();
      reject(signal.reason);
    };
    signal.addEventListener("abort", abort, { once: true });
    request.upload.addEventListener("progress", ({ lengthComputable, loaded, total }) => {
      if (lengthComputable && total > 0) onProgress(loaded / total);
    });
    request.addEventListener("loadend", () => {
      signal.removeEventListener("abort", abort);
      const answer = answerOf(request);
      if (answer instanceof ParleyError) reject(answer);
      else resolve(answer);
    });
    request.responseType = "json";
    request.open("POST", "/api/files");
    request.send(formOf(file, altText));
  });
}

function formOf(file: File, altText: string): FormData {
  const form = new FormData();
  form.append("file", file, file.name);
  if (altText !== "") form.append("alt_text", altText);
  return form;
}

/** Returns the file that the server has stored, or why it has not. */
function answerOf(request: XMLHttpRequest): FileRecord | ParleyError {
  const { status } = request;
  if (status === 0) return new ParleyError("network_error", "The upload was cut off.");
  const body: unknown = request.response;
  return status === 201 && isUploaded(body)
    ? body.file
    : errorOf(body, status, request.getResponseHeader("retry-after"));
}

function isUploaded(body: unknown): body is { file: FileRecord } {
  if (body === null || typeof body !== "object" || !("file" in body)) return false;
  const { file } = body;
  return file !== null && typeof file === "object" && "file_id" in file;
}
