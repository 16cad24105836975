import { request as httpRequest, type IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";
import { isIP, type LookupFunction } from "node:net";
import { brotliDecompressSync, gunzipSync, inflateSync } from "node:zlib";
import type { OutgoingUrl } from "./outgoing-url.ts";

/** Times in milliseconds, sizes in bytes. */
export interface RequestLimits {
  connectMs: number;
  totalMs: number;
  answerBytes: number;
  /** The longest pause between two pieces of an answer; absent: only the whole time counts. */
  idleMs?: number;
}

export interface OutgoingRequest {
  method: "GET" | "POST";
  headers?: Readonly<Record<string, string>>;
  body?: Uint8Array;
  /** How much of the answer is read, in bytes, instead of the usual limit. `isCut`: what follows is left out, and is no failure. */
  answer?: { readonly bytes: number; readonly isCut?: boolean };
  /** Takes the pieces of an answer 200 as they come; the result's body is then empty. It must not throw. */
  into?(piece: Uint8Array): void;
}

/** What became of a request. Nothing is thrown: the other side is a stranger, and what it does is data. */
export type OutgoingResult =
  | { outcome: "answered"; status: number; headers: Readonly<Record<string, string>>; body: Uint8Array }
  | { outcome: "blocked_address" | "tls_failed" | "timed_out" | "answer_too_large" | "unreachable" | "overloaded" };

type Failure = Exclude<OutgoingResult["outcome"], "answered">;

interface Target extends OutgoingUrl {
  /** Checked addresses of the host: the connection goes to one of them, and no name is resolved again. */
  addresses: readonly string[];
  /** Replaces the certificate authorities of the system; for tests. */
  ca?: string | undefined;
}

const HEADER_BYTES = 16 * 1024;

/**
 * Sends one request to a checked address, with the host's name in SNI and `Host`, and returns the whole answer.
 * Follows no redirect, keeps no connection and no cookie, and uses no proxy: `node:https` reads no proxy from the
 * environment, as `fetch` of Bun does even when it is told not to (measured, 1.4.5).
 */
export function sendRequest(target: Target, sent: OutgoingRequest, limits: RequestLimits): Promise<OutgoingResult> {
  const { promise, resolve } = Promise.withResolvers<OutgoingResult>();
  const call = (target.isSecure ? httpsRequest : httpRequest)({
    host: target.host,
    port: target.port,
    path: target.url.pathname + target.url.search,
    method: sent.method,
    headers: {
      ...sent.headers,
      host: target.url.host,
      "user-agent": "Parley",
      "accept-encoding": "identity",
      ...(sent.body === undefined ? {} : { "content-length": String(sent.body.byteLength) }),
    },
    agent: false,
    maxHeaderSize: HEADER_BYTES,
    lookup: pinnedTo(target.addresses),
    ...(target.isSecure && isIP(target.host) === 0 ? { servername: target.host } : {}),
    ...(target.ca === undefined ? {} : { ca: target.ca }),
  });
  let stage: "connecting" | "handshaking" | "open" = "connecting";
  const end = (result: OutgoingResult) => {
    clearTimeout(connecting);
    clearTimeout(whole);
    resolve(result);
    call.destroy();
  };
  const fail = (outcome: Failure) => end({ outcome });
  const connecting = setTimeout(() => fail("timed_out"), limits.connectMs);
  const whole = setTimeout(() => fail("timed_out"), limits.totalMs);
  const opened = () => {
    stage = "open";
    clearTimeout(connecting);
  };
  call.on("socket", (socket) => {
    socket.once("connect", () => {
      if (target.isSecure) stage = "handshaking";
      else opened();
    });
    socket.once("secureConnect", opened);
  });
  call.on("error", () => fail(stage === "handshaking" ? "tls_failed" : "unreachable"));
  const { bytes: max = limits.answerBytes, isCut = false } = sent.answer ?? {};
  call.on("response", (answer) => {
    if (limits.idleMs !== undefined) answer.setTimeout(limits.idleMs, () => fail("timed_out"));
    const into = answer.statusCode === 200 ? sent.into?.bind(sent) : undefined;
    read(answer, { max, isCut, ...(into === undefined ? {} : { into }) }, end, fail);
  });
  call.end(sent.body);
  return promise;
}

function read(
  answer: IncomingMessage,
  { max, isCut, into }: { max: number; isCut: boolean; into?: (piece: Uint8Array) => void },
  end: (result: OutgoingResult) => void,
  fail: (outcome: Failure) => void,
): void {
  const pieces: Uint8Array[] = [];
  let size = 0;
  let isOver = false;
  const finish = () => {
    isOver = true;
    const body = decoded(Buffer.concat(pieces), answer.headers["content-encoding"], max);
    if (body === null) fail("answer_too_large");
    else end({ outcome: "answered", status: answer.statusCode ?? 0, headers: plainHeaders(answer), body });
  };
  answer.on("data", (piece: Uint8Array) => {
    if (isOver) return;
    const room = max - size;
    size += piece.byteLength;
    if (size <= max) return void (into === undefined ? pieces.push(piece) : into(piece));
    if (!isCut) return fail("answer_too_large");
    pieces.push(piece.subarray(0, room));
    finish();
  });
  answer.on("error", () => fail("unreachable"));
  // Also after `end`; then the promise is resolved already.
  answer.on("close", () => fail("unreachable"));
  answer.on("end", finish);
}

/** Returns the body without its encoding, which was not asked for; null if it is larger than `max` or malformed. */
function decoded(body: Buffer, encoding: string | undefined, max: number): Uint8Array | null {
  const decode = { gzip: gunzipSync, "x-gzip": gunzipSync, deflate: inflateSync, br: brotliDecompressSync }[
    encoding?.toLowerCase() ?? ""
  ];
  if (decode === undefined || body.byteLength === 0) return body;
  try {
    return decode(body, { maxOutputLength: max });
  } catch {
    return null;
  }
}

function plainHeaders({ headers }: IncomingMessage): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => (typeof value === "string" ? [[name, value]] : [])),
  );
}

function pinnedTo(addresses: readonly string[]): LookupFunction {
  const all = addresses.map((address) => ({ address, family: isIP(address) }));
  return (_host, { all: wantsAll }, callback) => {
    const [first] = all;
    if (first === undefined) callback(new Error("no address"), "", 0);
    else if (wantsAll === true) callback(null, all);
    else callback(null, first.address, first.family);
  };
}
