import { fail } from "../errors.ts";
import { cleanPicture } from "./metadata/clean-picture.ts";
import { type ProcessLimits, runPictureProgram } from "./picture-process.ts";
import { TURN_PROGRAM } from "./picture-program.ts";
import { inspectPicture } from "./picture-structure.ts";

const MIB = 1024 * 1024;
const LIMITS: ProcessLimits = { cpuMs: 2_000, wallMs: 8_000, memory: 256 * MIB, output: MIB };
/** A child whose server was killed exits after this time. */
const ORPHAN_MS = 15_000;
const BUSY_RETRY_S = 5;

/** A small WebP that the child process has made. */
export interface ShrunkPicture {
  bytes: Uint8Array;
  width: number;
  height: number;
}

/**
 * Makes a still WebP of at most `side` pixels of a PNG, JPEG or WebP of at most `sourceSide`, upright and without
 * metadata, in a child process. Returns null for a file that is none, or too much work.
 * @throws overloaded
 */
export async function shrinkPicture(
  input: Uint8Array,
  { sourceSide, side }: { sourceSide: number; side: number },
): Promise<ShrunkPicture | null> {
  const source = inspectPicture(input);
  if (source === null || !isWithin(source, sourceSide)) return null;
  const clean = cleanPicture(input);
  if (clean === null || clean === "too_much") return null;
  // A JPEG's orientation is lost with its metadata, so the program turns every format alike.
  const program = programOf({ orientation: clean.orientation, side, pixels: sourceSide * sourceSide });
  const { exitCode, output, isLate } = await runPictureProgram(program, Buffer.concat(clean.parts), LIMITS);
  if (isLate) throw fail("overloaded", { retryAfter: BUSY_RETRY_S });
  // The child has parsed untrusted bytes, so its output is validated like any other input.
  const head = exitCode === 0 ? inspectPicture(output) : null;
  if (head === null || head.format !== "webp" || !isWithin(head, side)) return null;
  return { bytes: output, width: head.width, height: head.height };
}

const isWithin = ({ width, height }: { width: number; height: number }, side: number): boolean =>
  width >= 1 && height >= 1 && width <= side && height <= side;

/** The program of the child process, a string for the reason given at `pictureProgram` (picture-program.ts). */
const programOf = ({ orientation, side, pixels }: { orientation: number; side: number; pixels: number }): string => `
import { setPriority } from "node:os";
setPriority(10);
process.on("SIGINT", () => {});
setTimeout(() => process.exit(1), ${ORPHAN_MS}).unref();
${TURN_PROGRAM}
const input = await Bun.stdin.bytes();
const upright = turned(new Bun.Image(input, { maxPixels: ${pixels} }), ${orientation});
const small = upright.resize(${side}, ${side}, { fit: "inside", withoutEnlargement: true });
await Bun.write(Bun.stdout, await small.webp({ quality: 90 }).bytes());
process.exit(0);
`;
