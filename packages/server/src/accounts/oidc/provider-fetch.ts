import { patienceOf, type Timing } from "../../timing.ts";

/** Discovery documents and key sets are a few KiB. */
const ANSWER_MAX = 256 * 1024;
/** To the last byte. A login makes up to four requests. */
const TIMEOUT_MS = 5_000;

/** The options that the libraries pass: those of `fetch`, without following redirects. */
interface Asked {
  method?: string;
  headers?: unknown;
  body?: unknown;
  signal?: AbortSignal | undefined;
}

/**
 * Returns a function that sends a request to the provider in the settings, or to an address that its documents name.
 * The time and the bytes of the answer are bounded, redirects are not followed, and compressed answers are refused (a
 * small one can hold a huge text).
 */
export const providerFetch =
  (timing: Timing) =>
  (url: string, asked: Asked): Promise<Response> =>
    ask(url, asked, patienceOf({ timing }, TIMEOUT_MS));

async function ask(url: string, { method, headers, body, signal }: Asked, ms: number): Promise<Response> {
  const leave = new AbortController();
  const timer = setTimeout(() => leave.abort(new Error("the provider does not answer in time")), ms);
  const sent = new Headers(headers as Bun.HeadersInit | undefined);
  sent.set("accept-encoding", "identity");
  try {
    const response = await fetch(url, {
      method: method ?? "GET",
      headers: sent,
      body: body as Bun.BodyInit | null | undefined,
      redirect: "manual",
      decompress: false,
      signal: AbortSignal.any([leave.signal, ...(signal === undefined ? [] : [signal])]),
    });
    const bytes = await bounded(response);
    const isEmpty = response.status === 204 || response.status === 304;
    return new Response(isEmpty ? null : bytes, { status: response.status, headers: response.headers });
  } catch (error) {
    leave.abort(); // an unread body must not hold the connection
    throw leave.signal.reason instanceof Error && !(error instanceof AnswerRefused) ? leave.signal.reason : error;
  } finally {
    clearTimeout(timer);
  }
}

class AnswerRefused extends Error {}

async function bounded({ body, headers }: Response): Promise<Buffer> {
  if ((headers.get("content-encoding") ?? "identity") !== "identity")
    throw new AnswerRefused("the provider's answer is compressed");
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body ?? []) {
    length += chunk.byteLength;
    if (length > ANSWER_MAX) throw new AnswerRefused("the provider's answer is too large");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
