import { readFileSync } from "node:fs";
import { AVATAR_BYTES, AVATAR_SIDE } from "@parley/protocol/limits";
import { fail } from "../errors.ts";
import { cleanPicture } from "./metadata/clean-picture.ts";
import { pictureProgram, TOO_LARGE } from "./picture-program.ts";
import { inspectPicture, type PictureFormat } from "./picture-structure.ts";

/** The limits of a child process. */
export interface ProcessLimits {
  /** Milliseconds of CPU time. On an idle machine they take as much wall-clock time, on a busy one more. */
  cpuMs: number;
  /** Milliseconds of wall-clock time: a child that waits uses no CPU time. */
  wallMs: number;
  /** Bytes of peak resident memory. */
  memory: number;
  /** Bytes of its output. */
  output: number;
}

/** Limits of one avatar (protocol §2). */
const LIMITS: ProcessLimits = { cpuMs: 1_000, wallMs: 5_000, memory: 256 * 1024 * 1024, output: AVATAR_BYTES };
const WATCH_MS = 20;
/**
 * How long to read output after the child has exited: a process that the child started could hold the pipe open
 * forever.
 */
const DRAIN_MS = 1_000;
const NOTHING = new Uint8Array();
/** The tick of the kernel clock that counts CPU time. */
const TICK_MS = 10;
/** Seconds to retry after when the machine cannot start another process. */
const NO_PROCESS_RETRY_S = 5;

export interface PictureOutcome {
  exitCode: number | null;
  output: Uint8Array;
  /** True if the time was up before the child had used its CPU time: the machine is too busy to judge the picture. */
  isLate: boolean;
}

/**
 * Re-encodes a picture, upright, in a child process, in the same format or as WebP, into at most `AVATAR_BYTES`. The server's
 * threads and memory are not involved, and a crash of the decoder only ends the child.
 * @throws invalid_avatar, avatar_too_large, overloaded
 */
export async function reencodePicture(
  input: Uint8Array,
  format: PictureFormat,
  program = pictureProgram(orientationOf(input, format)),
): Promise<{ format: PictureFormat; bytes: Uint8Array }> {
  const { exitCode, output, isLate } = await runPictureProgram(program, input);
  if (isLate) throw fail("overloaded", { retryAfter: NO_PROCESS_RETRY_S });
  if (exitCode === TOO_LARGE) throw fail("avatar_too_large");
  // The child has parsed untrusted bytes, so its output is validated like any other input.
  const head = exitCode === 0 && output.length <= AVATAR_BYTES ? inspectPicture(output) : null;
  const isExpected = head !== null && (head.format === format || head.format === "webp");
  if (!isExpected || Math.max(head.width, head.height) > AVATAR_SIDE) throw fail("invalid_avatar");
  return { format: head.format, bytes: output };
}

/** Returns the orientation of a picture that the decoder does not turn by itself, as it does a JPEG. */
function orientationOf(input: Uint8Array, format: PictureFormat): number {
  const clean = format === "jpeg" ? null : cleanPicture(input);
  return clean === null || clean === "too_much" ? 1 : clean.orientation;
}

/**
 * Runs a program in a child process of the same runtime, and kills it if it exceeds the limits. `program` only differs in
 * tests.
 * @throws overloaded when no process can be started; `isLate` means the same to the caller's user
 */
export async function runPictureProgram(program: string, input: Uint8Array, limits = LIMITS): Promise<PictureOutcome> {
  const child = spawn(program, input, limits);
  let isLate = false;
  const watch = setInterval(() => {
    if (isOverLimit(child.pid, limits)) child.kill("SIGKILL");
  }, WATCH_MS);
  const patience = setTimeout(
    () => {
      isLate = canWatch && !isOverLimit(child.pid, limits);
      child.kill("SIGKILL");
    },
    canWatch ? limits.wallMs : limits.cpuMs,
  );
  try {
    const reading = child.stdout.bytes();
    const exitCode = await child.exited;
    const output = await orAfter(DRAIN_MS, reading, NOTHING);
    return { exitCode: child.signalCode === null && output !== NOTHING ? exitCode : null, output, isLate };
  } finally {
    clearInterval(watch);
    clearTimeout(patience);
    child.kill("SIGKILL");
  }
}

/** Returns the result of the work, or `late` if it takes longer than `ms`. */
async function orAfter<T>(ms: number, work: Promise<T>, late: T): Promise<T> {
  const { promise, resolve } = Promise.withResolvers<T>();
  const timer = setTimeout(resolve, ms, late);
  try {
    return await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Starts the child without the server's environment, which contains secrets, and outside any folder whose settings Bun
 * would read.
 */
function spawn(program: string, input: Uint8Array, limits: ProcessLimits) {
  try {
    return Bun.spawn([process.execPath, "-e", program], {
      // Makes the executable, which contains a program of its own, behave like Bun.
      env: { BUN_BE_BUN: "1" },
      cwd: "/",
      stdin: input,
      stdout: "pipe",
      stderr: "ignore",
      maxBuffer: limits.output,
    });
  } catch (error) {
    throw fail("overloaded", { retryAfter: NO_PROCESS_RETRY_S, cause: error });
  }
}

/** Linux reports the resources of a process. On other platforms only the wall-clock limit applies. */
const canWatch = process.platform === "linux";

function isOverLimit(pid: number, limits: ProcessLimits): boolean {
  if (!canWatch) return false;
  const used = usageOf(pid);
  return used !== null && (used.cpuMs > limits.cpuMs || used.memory > limits.memory);
}

/** Returns the CPU time and peak memory of a process; null if it has exited. */
function usageOf(pid: number): { cpuMs: number; memory: number } | null {
  try {
    // Fields 14 and 15 are the times in user and kernel mode; field 2, the name, is in parentheses.
    const times = readFileSync(`/proc/${pid}/stat`, "latin1").split(") ").at(-1)?.split(" ").slice(11, 13) ?? [];
    const peak = /^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "latin1"))?.[1] ?? "0";
    return { cpuMs: times.reduce((sum, ticks) => sum + Number(ticks), 0) * TICK_MS, memory: Number(peak) * 1024 };
  } catch {
    return null;
  }
}
