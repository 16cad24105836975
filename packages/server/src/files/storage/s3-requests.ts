import type { S3Client } from "bun";

/** An answer of the S3 server that is not success. The message contains no credential and no signed URL. */
export class S3Refusal extends Error {
  readonly status: number;
  /** The server's own code, such as `NoSuchBucket` and `AccessDenied`; empty if it sent none. */
  readonly code: string;

  constructor(method: string, status: number, code: string) {
    super(`S3 answered ${status}${code === "" ? "" : ` ${code}`} to ${method}`);
    this.name = "S3Refusal";
    this.status = status;
    this.code = code;
  }
}

export interface RequestOptions {
  headers?: Record<string, string>;
  body?: Blob;
  /** The server must have answered by then. The body of the answer may take longer. */
  timeoutMs: number;
}

const SIGNED_SECONDS = 300;
const TRIES = 3;
const PAUSE_MS = 200;
const ERROR_BODY_MAX = 4_096;

/**
 * Sends one request to the S3 server, signed by Bun, and repeats it twice if the server is away or overloaded. All
 * methods used here are idempotent. Returns null on 404 `NoSuchKey`; throws `S3Refusal` or a network error otherwise.
 *
 * Bun's own methods (`file.write`, `file.stream`) have no time limit and cannot be cancelled.
 */
export async function askS3(
  client: S3Client,
  method: "GET" | "HEAD" | "PUT" | "DELETE",
  key: string,
  options: RequestOptions,
): Promise<Response | null> {
  return retried(async () => {
    const url = client.presign(key, { method, expiresIn: SIGNED_SECONDS });
    const response = await answerOf(url, method, options);
    if (response.ok) return response;
    const code = await codeIn(response);
    if (response.status === 404 && (method === "HEAD" || code === "NoSuchKey" || code === "")) return null;
    throw new S3Refusal(method, response.status, code);
  });
}

/** Runs an act up to three times, with a pause that grows, while the server is away or overloaded. */
export async function retried<T>(act: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await act();
    } catch (error) {
      if (attempt === TRIES || !isPassing(error)) throw error;
      await Bun.sleep(PAUSE_MS * 4 ** (attempt - 1));
    }
  }
}

/** Rejects after that time, whatever the act does then. For acts that cannot be cancelled. */
export async function within<T>(ms: number, act: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(timeoutError(ms)), ms);
  try {
    return await Promise.race([act, late.promise]);
  } finally {
    clearTimeout(timer);
    act.catch(() => {});
  }
}

export const timeoutError = (ms: number): Error =>
  Object.assign(new Error(`S3 did not answer in ${ms} ms`), { name: "TimeoutError", code: "ETIMEDOUT" });

/** Fetches with a time limit until the headers are there; then the limit ends, because bodies may take long. */
async function answerOf(url: string, method: string, { headers, body, timeoutMs }: RequestOptions): Promise<Response> {
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(timeoutError(timeoutMs)), timeoutMs);
  try {
    return await fetch(url, {
      method,
      signal: limit.signal,
      redirect: "manual",
      ...(headers === undefined ? {} : { headers }),
      ...(body === undefined ? {} : { body }),
    });
  } finally {
    clearTimeout(timer);
  }
}

/** Reads the error's code out of the XML of an answer, of which it reads little. */
async function codeIn(response: Response): Promise<string> {
  if (response.body === null) return "";
  const reader = response.body.getReader();
  let text = "";
  try {
    for (let part = await reader.read(); !part.done && text.length < ERROR_BODY_MAX; part = await reader.read()) {
      text += new TextDecoder().decode(part.value);
    }
  } finally {
    await reader.cancel();
  }
  return /<Code>([A-Za-z0-9.]{1,60})<\/Code>/.exec(text)?.[1] ?? "";
}

function isPassing(error: unknown): boolean {
  if (error instanceof S3Refusal) return error.status >= 500 || error.status === 429 || error.status === 408;
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  return !/^(ENOENT|EACCES|EISDIR)$/.test(code);
}
