import { readFileSync } from "node:fs";
import { AVATAR_BYTES, AVATAR_SIDE } from "@parley/protocol/limits";
import { fail } from "../errors.ts";
import { PICTURE_PROGRAM, TOO_LARGE } from "./picture-program.ts";
import { inspectPicture, type PictureFormat } from "./picture-structure.ts";

/** Limits of one picture (protocol §2). */
const LIMITS = {
  /** Milliseconds of processor time. An idle machine gives them in as many of wall clock, a busy one does not. */
  cpuMs: 1_000,
  /** Milliseconds of wall clock: a child that waits for something uses no processor. */
  wallMs: 5_000,
  /** Bytes of resident memory at the peak. */
  memory: 256 * 1024 * 1024,
};
const WATCH_MS = 20;
/** How long the output may stay open once the child has ended: a program that the child started may hold it for ever. */
const DRAIN_MS = 1_000;
const NOTHING = new Uint8Array();
/** Of the kernel's clock, in which it counts processor time. */
const TICK_MS = 10;
/** A machine that has no room for another process may have some later. */
const NO_PROCESS_RETRY_S = 5;

export interface PictureOutcome {
  exitCode: number | null;
  output: Uint8Array;
}

/**
 * Re-encodes a picture in a process of its own, in the same format or as WebP, in at most `AVATAR_BYTES`. The server's threads and memory
 * take no part, and a fault of the decoder ends the child alone.
 * @throws invalid_avatar, avatar_too_large, overloaded
 */
export async function reencodePicture(
  input: Uint8Array,
  format: PictureFormat,
  program = PICTURE_PROGRAM,
): Promise<{ format: PictureFormat; bytes: Uint8Array }> {
  const { exitCode, output } = await runPictureProgram(program, input);
  if (exitCode === TOO_LARGE) throw fail("avatar_too_large");
  // The child has read a stranger's bytes: its output is checked like any other input.
  const head = exitCode === 0 && output.length <= AVATAR_BYTES ? inspectPicture(output) : null;
  const isExpected = head !== null && (head.format === format || head.format === "webp");
  if (!isExpected || Math.max(head.width, head.height) > AVATAR_SIDE) throw fail("invalid_avatar");
  return { format: head.format, bytes: output };
}

/**
 * Runs a program in a child of this program's own runtime, within `LIMITS`; one that exceeds them is killed. `program` differs in tests only.
 * @throws overloaded when no process can be started
 */
export async function runPictureProgram(program: string, input: Uint8Array): Promise<PictureOutcome> {
  const child = spawn(program, input);
  const watch = setInterval(() => {
    if (isOverLimit(child.pid)) child.kill("SIGKILL");
  }, WATCH_MS);
  try {
    const reading = child.stdout.bytes();
    const exitCode = await child.exited;
    const output = await orAfter(DRAIN_MS, reading, NOTHING);
    return { exitCode: child.signalCode === null && output !== NOTHING ? exitCode : null, output };
  } finally {
    clearInterval(watch);
    child.kill("SIGKILL");
  }
}

/** The result of the work, or `late` when that takes longer. */
async function orAfter<T>(ms: number, work: Promise<T>, late: T): Promise<T> {
  const { promise, resolve } = Promise.withResolvers<T>();
  const timer = setTimeout(resolve, ms, late);
  try {
    return await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** Starts the child without the server's environment, which holds secrets, and outside any folder whose settings Bun would read. */
function spawn(program: string, input: Uint8Array) {
  try {
    return Bun.spawn([process.execPath, "-e", program], {
      // Makes the executable, which holds a program of its own, behave as Bun does.
      env: { BUN_BE_BUN: "1" },
      cwd: "/",
      stdin: input,
      stdout: "pipe",
      stderr: "ignore",
      maxBuffer: AVATAR_BYTES,
      timeout: canWatch ? LIMITS.wallMs : LIMITS.cpuMs,
      killSignal: "SIGKILL",
    });
  } catch (error) {
    throw fail("overloaded", { retryAfter: NO_PROCESS_RETRY_S, cause: error });
  }
}

/** Linux reports the resources of a process. Elsewhere only wall clock limits it. */
const canWatch = process.platform === "linux";

function isOverLimit(pid: number): boolean {
  if (!canWatch) return false;
  const used = usageOf(pid);
  return used !== null && (used.cpuMs > LIMITS.cpuMs || used.memory > LIMITS.memory);
}

/** Processor time and peak memory of a process; null: it has ended. */
function usageOf(pid: number): { cpuMs: number; memory: number } | null {
  try {
    // Fields 14 and 15 are the times in user and kernel mode; the second one, the name, is in parentheses.
    const times = readFileSync(`/proc/${pid}/stat`, "latin1").split(") ").at(-1)?.split(" ").slice(11, 13) ?? [];
    const peak = /^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "latin1"))?.[1] ?? "0";
    return { cpuMs: times.reduce((sum, ticks) => sum + Number(ticks), 0) * TICK_MS, memory: Number(peak) * 1024 };
  } catch {
    return null;
  }
}
