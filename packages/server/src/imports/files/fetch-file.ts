import { closeSync, openSync, writeSync } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { pause } from "../../base/timers.ts";
import type { AppContext } from "../../context.ts";
import { fail } from "../../errors.ts";
import { storageFailure } from "../../files/storage/file-storage.ts";
import { Outgoing } from "../../outgoing/outgoing.ts";
import type { OutgoingResult, RequestLimits } from "../../outgoing/send-request.ts";
import { SourceError, type SourceFile } from "../source.ts";

const MIB = 1024 * 1024;
const TRIES = 5;
const FIRST_PAUSE_MS = 500;
/** A file may take long, but not stand still. */
const TIMES = { connectMs: 10_000, idleMs: 60_000, totalMs: 60 * 60_000 } as const satisfies Partial<RequestLimits>;
/** All requests are for the person at the terminal. */
const PURPOSE = { kind: "import", owner: "import" } as const;
const TOO_MANY_REQUESTS = 429;
const SERVER_ERRORS = 500;
const OF_A_MOMENT: readonly OutgoingResult["outcome"][] = ["timed_out", "unreachable", "overloaded"];

/**
 * Fetches files by the links of an export, one at a time, by the rules of protocol §13.12, and only from the chat's own hosts.
 * An answer counts only if it is 200, as long as the export says, and no page in place of something else: dead links lead to
 * a page for logging in.
 */
export class FileFetcher implements AsyncDisposable {
  readonly #hosts: RegExp | undefined;
  readonly #path: string;
  readonly #outgoing: Outgoing;
  readonly #log: AppContext["log"];

  /** `hosts`: absent: nothing is fetched. `folder`: where the bytes are until they are stored. */
  constructor(ctx: AppContext, hosts: RegExp | undefined, folder: string, outgoing?: Outgoing) {
    this.#hosts = hosts;
    this.#log = ctx.log;
    this.#path = join(folder, "fetched");
    const limits = { ...TIMES, answerBytes: ctx.config.fileMaxMib * MIB };
    this.#outgoing = outgoing ?? new Outgoing({ allow: ctx.config.egressAllow, clock: ctx.clock, limits });
  }

  /** Returns the bytes; they are valid until the next call. Errors: `SourceError` if the file is not there, `file_too_large`, `storage_full`, `storage_unavailable`. */
  fetch = async (file: SourceFile): Promise<ReadableStream<Uint8Array>> => {
    const url = URL.parse(file.url ?? "");
    if (url === null || this.#hosts?.test(url.hostname) !== true) throw new SourceError("The link leads elsewhere.");
    await mkdir(join(this.#path, ".."), { recursive: true, mode: 0o700 });
    for (let tries = 1; ; tries += 1) {
      const { result, size } = await this.#send(url.href);
      if (result.outcome === "answer_too_large") throw fail("file_too_large");
      if (result.outcome === "answered" && result.status === 200 && isWanted(file, result.headers, size))
        return Bun.file(this.#path).stream();
      // The link may hold a token, so no message names it.
      if (tries === TRIES || !isOfAMoment(result)) throw new SourceError("The link no longer leads to the file.");
      await pause(FIRST_PAUSE_MS * 2 ** (tries - 1));
    }
  };

  async #send(url: string): Promise<{ result: OutgoingResult; size: number }> {
    const target = openSync(this.#path, "w", 0o600);
    let size = 0;
    const problems: unknown[] = [];
    const into = (piece: Uint8Array): void => {
      try {
        if (problems.length === 0) for (let from = 0; from < piece.length; ) from += writeSync(target, piece, from);
      } catch (error) {
        problems.push(error);
      }
      size += piece.length;
    };
    try {
      const result = await this.#outgoing.send(url, { method: "GET", into }, PURPOSE);
      if (problems.length > 0) throw storageFailure(this.#log, "keep a fetched file", problems[0]);
      return { result, size };
    } finally {
      closeSync(target);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.#path, { force: true });
  }
}

const isOfAMoment = (result: OutgoingResult): boolean =>
  result.outcome === "answered"
    ? result.status === TOO_MANY_REQUESTS || result.status >= SERVER_ERRORS
    : OF_A_MOMENT.includes(result.outcome);

const HTML = /^text\/html\b/i;

function isWanted(file: SourceFile, headers: Readonly<Record<string, string>>, size: number): boolean {
  if (file.size !== null && file.size !== size) return false;
  // The bytes are kept as they come, and none were asked for in a packed form.
  if (!/^(?:identity)?$/i.test(headers["content-encoding"] ?? "")) return false;
  const isPage = HTML.test(headers["content-type"] ?? "");
  return !isPage || HTML.test(file.mimeType ?? "");
}
