import { AVATAR_BYTES, AVATAR_SIDE } from "@parley/protocol/limits";

/** Exit code of the program when no encoding is small enough. */
export const TOO_LARGE = 3;
/** A child whose server was killed exits after this time. */
const ORPHAN_MS = 10_000;

/**
 * The program of the child process that decodes pictures. It is a string because the sources, the bundle and the
 * executable would each find a file at a different path; Bun runs it with `-e`.
 *
 * It reads a picture from standard input and writes it, re-encoded, to standard output: in its own format or, when that
 * is too large (such as a palette converted to full color), as WebP of decreasing quality. Every other outcome is a
 * non-zero exit code.
 */
export const PICTURE_PROGRAM = `
import { setPriority } from "node:os";
setPriority(10);
process.on("SIGINT", () => {});
setTimeout(() => process.exit(1), ${ORPHAN_MS}).unref();
const input = await Bun.stdin.bytes();
const image = () => new Bun.Image(input, { maxPixels: ${AVATAR_SIDE * AVATAR_SIDE} });
const { width, height, format } = await image().metadata();
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
