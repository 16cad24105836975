import { AVATAR_BYTES, AVATAR_SIDE } from "@parley/protocol/limits";

/**
 * A function for the programs that decode pictures: it returns an image turned upright from an orientation of 1 to 8
 * (Exif 2.32, 4.6.4 A). Bun always turns a picture before it mirrors it, whatever order the program asks for, and it reads
 * the orientation of JPEG files only.
 */
export const TURN_PROGRAM = `
const turned = (image, orientation) => {
  const degrees = [0, 0, 0, 180, 0, 90, 90, 270, 270][orientation];
  const upright = degrees === 0 ? image : image.rotate(degrees);
  if (orientation === 4) return upright.flip();
  return [2, 5, 7].includes(orientation) ? upright.flop() : upright;
};
`;

/** Exit code of the program when no encoding is small enough. */
export const TOO_LARGE = 3;
/** A child whose server was killed exits after this time. */
const ORPHAN_MS = 10_000;

/**
 * Returns the program of the child process that decodes pictures and turns them from an orientation of 1 to 8. It is a string because the sources, the bundle and the
 * executable would each find a file at a different path; Bun runs it with `-e`.
 *
 * It reads a picture from standard input and writes it, re-encoded, to standard output: in its own format or, when that
 * is too large (such as a palette converted to full color), as WebP of decreasing quality. Every other outcome is a
 * non-zero exit code.
 */
export const pictureProgram = (orientation: number): string => `
import { setPriority } from "node:os";
setPriority(10);
process.on("SIGINT", () => {});
setTimeout(() => process.exit(1), ${ORPHAN_MS}).unref();
${TURN_PROGRAM}
const input = await Bun.stdin.bytes();
const stored = () => new Bun.Image(input, { maxPixels: ${AVATAR_SIDE * AVATAR_SIDE} });
const image = () => turned(stored(), ${orientation});
const { width, height, format } = await stored().metadata();
if (!(width >= 1 && height >= 1 && Math.max(width, height) <= ${AVATAR_SIDE})) process.exit(2);
const encodings = [
  () => (format === "png" ? image().png({ compressionLevel: 6 }) : image()[format]({ quality: 90 })),
  () => image().webp({ quality: 75 }),
  () => image().webp({ quality: 25 }),
];
for (const encode of encodings) {
  const bytes = await encode().bytes();
  if (bytes.length > ${AVATAR_BYTES}) continue;
  await Bun.write(Bun.stdout, bytes);
  process.exit(0);
}
process.exit(${TOO_LARGE});
`;
