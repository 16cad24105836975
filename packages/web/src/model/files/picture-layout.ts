interface Size {
  width: number;
  height: number;
}

/** A single picture is shown within this box, in CSS pixels. */
const BOX: Size = { width: 420, height: 320 };
/** A very narrow picture is cut to this side, so that it can be seen and pressed. */
const SIDE_MIN = 56;

/** Returns the size at which a single picture is shown; it is known before the picture has loaded, so nothing jumps. */
export function shownSize({ width, height }: Size): Size {
  const scale = Math.min(1, BOX.width / width, BOX.height / height);
  const side = (length: number) => Math.max(SIDE_MIN, Math.round(length * scale));
  return { width: side(width), height: side(height) };
}

/** Returns the number of columns in which several pictures are shown. */
export const columnsOf = (count: number): number => (count === 2 || count === 4 ? 2 : 3);
