/** The square of a picture to keep. `zoom` ≥ 1; `x`, `y` from 0 (left, top) to 1. */
export interface Crop {
  zoom: number;
  x: number;
  y: number;
}

interface Size {
  width: number;
  height: number;
}

export const WHOLE: Crop = { zoom: 1, x: 0.5, y: 0.5 };

const within = (value: number): number => Math.min(1, Math.max(0, value));

/** Returns the square in the picture's pixels. */
export function squareOf({ width, height }: Size, { zoom, x, y }: Crop): { left: number; top: number; side: number } {
  const side = Math.min(width, height) / zoom;
  return { left: (width - side) * x, top: (height - side) * y, side };
}

/** Returns the crop after dragging by some pixels, with the square displayed `shown` pixels wide. */
export function dragged(size: Size, crop: Crop, dx: number, dy: number, shown: number): Crop {
  const { side } = squareOf(size, crop);
  const moved = (at: number, by: number, free: number) => (free <= 0 ? at : within(at - (by * side) / shown / free));
  return { ...crop, x: moved(crop.x, dx, size.width - side), y: moved(crop.y, dy, size.height - side) };
}
