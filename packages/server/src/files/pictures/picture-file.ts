import { stat } from "node:fs/promises";
import { PICTURE_PIXELS, PREVIEW_SIDES } from "@parley/protocol/file-limits";
import type { AppContext } from "../../context.ts";
import { fail } from "../../errors.ts";
import { cleanPicture } from "../../media/metadata/clean-picture.ts";
import type { CleanPicture } from "../../media/metadata/picture-parts.ts";
import { runPictureProgram } from "../../media/picture-process.ts";
import { inspectPicture } from "../../media/picture-structure.ts";
import type { UploadFolder } from "../upload/upload-folder.ts";
import { decoderQueue } from "./decoder-queue.ts";
import { PREVIEW_PROGRAM, UNREADABLE } from "./preview-program.ts";

/** A picture without metadata, upright, and its previews; all are temporary files. */
export interface PictureFile {
  path: string;
  width: number;
  height: number;
  /** At most 480 pixels; null if no decoder could make one, as for a WebP in motion. */
  small: string | null;
  /** At most 1,280 pixels; null if the small one is as large as the picture. */
  large: string | null;
}

const MIB = 1024 * 1024;
/** A picture of 64 million pixels takes 256 MB decoded, and twice that while it is turned. */
const LIMITS = { cpuMs: 20_000, wallMs: 50_000, memory: 1_024 * MIB, output: 1_024 };
/** Bytes of a preview at most: WebP of 1,280 x 1,280 pixels that do not compress. */
const PREVIEW_BYTES = 4 * MIB;

/**
 * Makes the files of a picture. Returns null for a file that is none, whatever its first bytes claim. The pixels are
 * decoded in a child process, one picture at a time; this process only walks over the structure.
 * @throws image_limits, rate_limited, overloaded
 */
export async function pictureFile(
  ctx: AppContext,
  account: string,
  folder: UploadFolder,
  path: string,
): Promise<PictureFile | null> {
  // Mapped, not read: a large picture takes no memory of this process.
  const clean = cleanPicture(Bun.mmap(path));
  if (clean === "too_much") throw fail("image_limits");
  if (clean === null) return null;
  if (clean.width * clean.height > PICTURE_PIXELS) throw fail("image_limits");
  const cleaned = await folder.write(clean.parts);
  return decoderQueue(ctx).run(account, () => decoded(folder, cleaned, clean));
}

async function decoded(folder: UploadFolder, path: string, clean: CleanPicture): Promise<PictureFile | null> {
  const { width, height } = clean;
  // Bun decodes no WebP in motion (measured, 1.4.5). Its structure was walked, and browsers show it.
  if (clean.format === "webp" && clean.isAnimated) return { path, width, height, small: null, large: null };
  // A turned animation would be a still picture.
  const orientation = clean.isAnimated ? 1 : clean.orientation;
  const upright = orientation === 1 ? null : folder.newPath();
  const [small, large] = [folder.newPath(), folder.newPath()];
  const input = JSON.stringify({ input: path, orientation, upright, small, large });
  const { exitCode, output, isLate } = await runPictureProgram(PREVIEW_PROGRAM, Buffer.from(input), LIMITS);
  if (isLate) throw fail("overloaded", { retryAfter: 30 });
  if (exitCode === UNREADABLE) return null;
  // Killed for its time or memory.
  if (exitCode !== 0) throw fail("image_limits");
  const { hasLarge, ...size } = answerOf(output);
  if (!(await isPreview(small, PREVIEW_SIDES[0])) || (hasLarge && !(await isPreview(large, PREVIEW_SIDES[1]))))
    throw fail("image_limits");
  return { path: upright ?? path, ...size, small, large: hasLarge ? large : null };
}

/** The child has parsed untrusted bytes, so its answer is validated like any other input. */
function answerOf(output: Uint8Array): { width: number; height: number; hasLarge: boolean } {
  const { width, height, hasLarge } = JSON.parse(Buffer.from(output).toString()) as Record<string, unknown>;
  if (!Number.isInteger(width) || !Number.isInteger(height) || Number(width) * Number(height) > PICTURE_PIXELS)
    throw fail("image_limits");
  return { width: Number(width), height: Number(height), hasLarge: hasLarge === true };
}

async function isPreview(path: string, side: number): Promise<boolean> {
  if ((await stat(path)).size > PREVIEW_BYTES) return false;
  const head = inspectPicture(await Bun.file(path).bytes());
  return head?.format === "webp" && Math.max(head.width, head.height) <= side;
}
