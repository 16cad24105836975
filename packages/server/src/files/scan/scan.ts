import { connect, type Socket } from "node:net";
import type { HostAndPort } from "../../config/file-storage.ts";
import { type AppContext, perServer } from "../../context.ts";
import { ForeignError } from "../../errors.ts";
import type { Log } from "../../logging/log.ts";

/**
 * What a scanner says about a file. `unavailable`: nothing; the caller asks again later and lets nobody read the file.
 * `too large`: above the daemon's `StreamMaxLength`; asking again does not help.
 */
export type Verdict = "clean" | { found: string } | "too large" | "unavailable";

/** The scanner must take the next bytes, and answer after the last, by then. */
const IDLE_MS = 30_000;
const TOTAL_MS = 5 * 60_000;
const ANSWER_MAX = 1_024;
const CHUNK = 64 * 1024;

interface Limits {
  idleMs: number;
  totalMs: number;
}

/**
 * Asks a ClamAV daemon about a file (its command INSTREAM), without reading the file into memory. Never throws on what
 * the daemon, the network or the source of the bytes does: that is `unavailable`, and a line in the log. Only the
 * daemon's own OK, after all bytes were sent, is `clean`.
 */
export async function scan(
  scanner: HostAndPort,
  bytes: Blob | ReadableStream<Uint8Array>,
  log: Log,
  limits: Limits = { idleMs: IDLE_MS, totalMs: TOTAL_MS },
): Promise<Verdict> {
  const stream = bytes instanceof Blob ? bytes.stream() : bytes;
  const socket = connect(scanner);
  const answer = answerOf(socket, limits);
  try {
    const isWhole = await send(socket, stream, answer);
    return verdictOf(await answer, isWhole);
  } catch (cause) {
    log.warn({ err: new ForeignError("the virus scanner failed", { cause }) }, "a file could not be scanned; it waits");
    return "unavailable";
  } finally {
    socket.destroy();
    answer.catch(() => {});
    await stream.cancel().catch(() => {});
  }
}

/** Returns the daemon's version, such as `ClamAV 1.4.6/27800/…`. Throws if it does not answer. For `parley doctor`. */
export async function scannerVersion(scanner: HostAndPort, ms: number): Promise<string> {
  const socket = connect(scanner);
  try {
    const answer = answerOf(socket, { idleMs: ms, totalMs: ms });
    socket.write("zVERSION\0");
    return await answer;
  } finally {
    socket.destroy();
  }
}

/** Resolves to the text up to the zero byte that ends an answer. */
function answerOf(socket: Socket, { idleMs, totalMs }: Limits): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  let text = "";
  const timer = setTimeout(() => socket.destroy(new Error(`the scanner took longer than ${totalMs} ms`)), totalMs);
  socket.setTimeout(idleMs, () => socket.destroy(new Error(`the scanner did nothing for ${idleMs} ms`)));
  socket.on("data", (part) => {
    text += part.toString("latin1");
    const end = text.indexOf("\0");
    if (end !== -1) resolve(text.slice(0, end).trim());
    else if (text.length > ANSWER_MAX) socket.destroy(new Error("the scanner's answer is too long"));
  });
  socket.on("error", reject);
  socket.on("close", () => {
    clearTimeout(timer);
    reject(new Error("the scanner closed the connection without an answer"));
  });
  return promise;
}

/** Sends the file as long as the daemon has not answered. Returns true if all of it was sent. */
async function send(socket: Socket, stream: ReadableStream<Uint8Array>, answer: Promise<string>): Promise<boolean> {
  let isAnswered = false;
  const ended = answer.then(
    () => {
      isAnswered = true;
    },
    () => {
      isAnswered = true;
    },
  );
  await write(socket, Buffer.from("zINSTREAM\0"), ended);
  const reader = stream.getReader();
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      for (let from = 0; from < part.value.length; from += CHUNK) {
        if (isAnswered) return false;
        const chunk = part.value.subarray(from, from + CHUNK);
        const length = Buffer.alloc(4);
        length.writeUInt32BE(chunk.length);
        await write(socket, Buffer.concat([length, chunk]), ended);
      }
    }
  } finally {
    reader.releaseLock();
  }
  if (isAnswered) return false;
  await write(socket, Buffer.alloc(4), ended);
  return true;
}

/** Writes, and waits until the daemon has taken what was written before, or has ended. */
async function write(socket: Socket, bytes: Buffer, ended: Promise<void>): Promise<void> {
  if (socket.destroyed || socket.write(bytes)) return;
  const drained = Promise.withResolvers<void>();
  socket.once("drain", drained.resolve);
  await Promise.race([drained.promise, ended]);
  socket.off("drain", drained.resolve);
}

function verdictOf(answer: string, isWhole: boolean): Verdict {
  const found = /^stream: (.+) FOUND$/.exec(answer)?.[1];
  if (found !== undefined) return { found: found.slice(0, 200) };
  if (answer === "stream: OK" && isWhole) return "clean";
  if (/size limit exceeded/i.test(answer)) return "too large";
  throw new Error(`the scanner answered: ${answer.replace(/[^\x20-\x7e]/g, "?").slice(0, 200)}`);
}

/** Looks for viruses in files. */
export interface FileScanner {
  /**
   * Scans the file at that path. `found`: it must not be passed on; the log says why. `unavailable`: the scanner does
   * not answer, so nobody knows. Never throws.
   */
  scan(path: string): Promise<"clean" | "found" | "unavailable">;
}

/** The scanner of this server (`PARLEY_CLAMAV`); null if it has none. */
export const fileScanner: (ctx: AppContext) => FileScanner | null = perServer(({ config: { clamav }, log }) => {
  if (clamav === null) return null;
  return {
    async scan(path) {
      const verdict = await scan(clamav, Bun.file(path), log);
      if (verdict === "clean" || verdict === "unavailable") return verdict;
      if (verdict === "too large") {
        log.error("a file is larger than StreamMaxLength in the scanner's clamd.conf, so it is blocked");
      } else {
        log.warn({ found: verdict.found }, "the scanner found malware in a file");
      }
      return "found";
    },
  };
});
