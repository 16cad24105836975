import { isTooDeep } from "./answer-size.ts";
import { RpcFailure } from "./failure.ts";

const TIMEOUT = "timeout";
const HEADERS = { "content-type": "application/json", accept: "application/json", "accept-encoding": "identity" };
const UTF8 = new TextDecoder("utf-8", { fatal: true });
const LONG_INTEGER = /[:,[]\s*-?\d{16}/;

/** A server's response. Some servers send JSON-RPC errors with an HTTP error status, so both count. */
export interface Said {
  readonly status: number;
  /** The parsed JSON; undefined if the body is not JSON. */
  readonly body: unknown;
}

/** The timeout, to the last byte, and the size limit of an answer. */
interface Patience {
  readonly ms: number;
  readonly bytes: number;
  readonly signal: AbortSignal | undefined;
}

/** Posts JSON and returns the response. @throws RpcFailure */
export async function post(url: string, body: string, { ms, bytes, signal }: Patience): Promise<Said> {
  const leave = new AbortController();
  const timer = setTimeout(() => leave.abort(TIMEOUT), ms);
  const goToo = () => leave.abort();
  signal?.addEventListener("abort", goToo);
  try {
    if (signal?.aborted) throw new RpcFailure("timeout");
    const asked = { method: "POST", headers: HEADERS, body, redirect: "manual", signal: leave.signal } as const;
    const response = await fetch(url, { ...asked, decompress: false });
    return { status: response.status, body: parse(await readBody(response, bytes)) };
  } catch (error) {
    const reason = leave.signal.reason === TIMEOUT ? "timeout" : "connection";
    leave.abort(); // an unread body must not hold the connection
    throw error instanceof RpcFailure ? error : new RpcFailure(reason);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", goToo);
  }
}

async function readBody(response: Response, most: number): Promise<Uint8Array> {
  const { body, headers } = response;
  if ((headers.get("content-encoding") ?? "identity") !== "identity") throw new RpcFailure("malformed");
  const told = headers.get("content-length");
  if (Number(told ?? 0) > most) throw new RpcFailure("too_large");
  // HTTP enforces the content length, unless the body is chunked.
  if (told !== null && headers.get("transfer-encoding") === null) return response.bytes();
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body ?? []) {
    length += chunk.byteLength;
    if (length > most) throw new RpcFailure("too_large");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Parses unsafe integers as bigints: Solana writes amounts of any size as JSON numbers. */
function parse(body: Uint8Array): unknown {
  if (isTooDeep(body)) return undefined;
  try {
    const text = UTF8.decode(body);
    return LONG_INTEGER.test(text) ? JSON.parse(text, exactly) : JSON.parse(text);
  } catch {
    return undefined;
  }
}

function exactly(_: string, value: unknown, context?: { source?: string }): unknown {
  const source = context?.source ?? "";
  const isInexact = typeof value === "number" && !Number.isSafeInteger(value) && /^-?\d+$/.test(source);
  return isInexact ? BigInt(source) : value;
}
