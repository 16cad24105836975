import { connect as connectPlain, isIP, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { isEncryptedRedis } from "../config/redis.ts";

/** An answer of Redis: text, or the error that it gave. */
export type RedisAnswer = string | RedisRefusal;

/** Redis refused a command; the message is its own, such as `WRONGPASS …`. */
export class RedisRefusal extends Error {
  override readonly name = "RedisRefusal";
}

/** Something else than Redis answered. */
export class NotRedis extends Error {
  override readonly name = "NotRedis";
}

const ANSWER_MAX = 1024 * 1024;

/**
 * Sends a few commands over a connection of its own, after the credentials in the URL, and returns an answer for each:
 * the first one is that to the credentials. Bun's client cannot do this: it hides why a connection failed. Rejects with
 * the socket's error (`ECONNREFUSED`, …), with `ETIMEDOUT` after `timeoutMs`, or with `NotRedis`.
 */
export function askRedis(
  url: string,
  commands: readonly (readonly string[])[],
  timeoutMs: number,
): Promise<RedisAnswer[]> {
  const { username, password } = new URL(url);
  const user = username === "" ? [] : [decodeURIComponent(username)];
  const login = password === "" ? ["PING"] : ["AUTH", ...user, decodeURIComponent(password)];
  const all = [login, ...commands];
  const socket = dial(url);
  return new Promise((resolve, reject) => {
    let received = Buffer.alloc(0);
    const timer = setTimeout(
      () => end(Object.assign(new Error(`No answer within ${timeoutMs} ms.`), { code: "ETIMEDOUT" })),
      timeoutMs,
    );
    const end = (result: Error | RedisAnswer[]) => {
      clearTimeout(timer);
      socket.destroy();
      if (result instanceof Error) reject(result);
      else resolve(result);
    };
    socket.on("data", (chunk: Uint8Array) => {
      received = Buffer.concat([received, chunk]);
      const answers = parseAnswers(received, all.length);
      if (answers === null || received.length > ANSWER_MAX) end(new NotRedis("What answers is not Redis."));
      else if (answers.length === all.length || isFarewell(answers)) end(answers);
    });
    socket.on("error", end);
    socket.on("close", () => end(Object.assign(new Error("The connection was closed."), { code: "ECONNRESET" })));
    socket.write(all.map(commandText).join(""));
  });
}

function dial(url: string): Socket {
  const { hostname, port } = new URL(url);
  const place = { host: hostname.replace(/^\[|\]$/g, ""), port: Number(port || 6379) };
  if (!isEncryptedRedis(url)) return connectPlain(place);
  // An address is no server name.
  return connectTls(isIP(place.host) === 0 ? { ...place, servername: place.host } : place);
}

const commandText = (words: readonly string[]): string =>
  `*${words.length}\r\n${words.map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`).join("")}`;

/** Redis closes the connection after these: too many clients, protected mode. */
const isFarewell = ([first]: readonly RedisAnswer[]): boolean =>
  first instanceof RedisRefusal && /^(ERR max number|DENIED)/.test(first.message);

/** Returns the complete answers among the bytes, at most `max`; null if they are not Redis' protocol. */
function parseAnswers(bytes: Buffer, max: number): RedisAnswer[] | null {
  const answers: RedisAnswer[] = [];
  for (let at = 0; at < bytes.length && answers.length < max; ) {
    const end = bytes.indexOf("\r\n", at);
    const kind = String.fromCharCode(bytes[at] ?? 0);
    if (!"+-:$".includes(kind)) return null;
    if (end === -1) break;
    const line = bytes.toString("utf8", at + 1, end);
    at = end + 2;
    if (kind === "-") answers.push(new RedisRefusal(line));
    else if (kind !== "$" || line === "-1") answers.push(line);
    else {
      const length = Number(line);
      if (!Number.isSafeInteger(length)) return null;
      if (bytes.length < at + length + 2) break;
      answers.push(bytes.toString("utf8", at, at + length));
      at += length + 2;
    }
  }
  return answers;
}
