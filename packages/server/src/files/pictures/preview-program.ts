import { PICTURE_PIXELS, PREVIEW_SIDES } from "@parley/protocol/file-limits";
import { TURN_PROGRAM } from "../../media/picture-program.ts";

/** Exit code of the program for a file that it cannot decode. */
export const UNREADABLE = 3;
/** A child whose server was killed exits after this time. */
const ORPHAN_MS = 60_000;
const [SMALL, LARGE] = PREVIEW_SIDES;

/**
 * The program of the child process that decodes the pictures of messages. It is a string for the reason given at
 * `pictureProgram` (media/picture-program.ts).
 *
 * It reads `{input, orientation, upright, small, large}` from standard input: paths, and the orientation of the input,
 * which has no metadata. It writes the previews, and if `upright` is a path, the whole picture with its orientation
 * applied. Then it prints `{width, height, hasLarge}`: the size of the upright
 * picture, and whether it is larger than the small preview.
 */
export const PREVIEW_PROGRAM = `
import { setPriority } from "node:os";
setPriority(10);
process.on("SIGINT", () => {});
setTimeout(() => process.exit(1), ${ORPHAN_MS}).unref();
${TURN_PROGRAM}
const { input, orientation, upright, small, large } = JSON.parse(await Bun.stdin.text());
const file = Bun.file(input);
const stored = () => new Bun.Image(file, { maxPixels: ${PICTURE_PIXELS} });
const image = () => turned(stored(), orientation);
const preview = (side) =>
  image().resize(side, side, { fit: "inside", withoutEnlargement: true }).webp({ quality: 80 }).bytes();
try {
  const { width, height, format } = await stored().metadata();
  const size = orientation < 5 ? { width, height } : { width: height, height: width };
  await Bun.write(small, await preview(${SMALL}));
  const hasLarge = Math.max(width, height) > ${SMALL};
  if (hasLarge) await Bun.write(large, await preview(${LARGE}));
  if (upright !== null) await Bun.write(upright, await image()[format]({ quality: 92 }).bytes());
  await Bun.write(Bun.stdout, JSON.stringify({ ...size, hasLarge }));
} catch (error) {
  process.exit(/^ERR_IMAGE/.test(error?.code ?? "") ? ${UNREADABLE} : 1);
}
process.exit(0);
`;
