/** Limits of files (protocol §13.2). */

/** Characters of a file's name and of the text that describes a file. */
export const FILE_NAME_MAX = 200;
export const ALT_TEXT_MAX = 500;
/** Hours after which a file that was not sent is deleted. */
export const UNSENT_FILE_HOURS = 24;
/** Pixels of a picture, and of all frames of an animation together. */
export const PICTURE_PIXELS = 64_000_000;
export const ANIMATION_PIXELS = 1_000_000_000;
export const ANIMATION_FRAMES = 5_000;
/** Pixels of the longer side of the two previews of a picture. */
export const PREVIEW_SIDES = [480, 1280] as const;
