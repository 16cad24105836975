import type { PictureFormat } from "../picture-structure.ts";

/** A picture without metadata. Its bytes are the parts, in order; most of them are views of the original. */
export interface CleanPicture {
  format: PictureFormat;
  /** Pixels of the canvas, before the orientation is applied. */
  width: number;
  height: number;
  parts: Uint8Array[];
  /** The orientation that the metadata asked for, 1 to 8; 1: as it is. */
  orientation: number;
  isAnimated: boolean;
  frames: number;
  /** Pixels of all frames together. */
  pixels: number;
}
