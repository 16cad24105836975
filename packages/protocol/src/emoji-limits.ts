/** Limits of the server's own emoji (protocol §13.17): bytes, pixels, counts. */
export const EMOJI_NAME_MAX = 32;
export const EMOJI_BYTES = 512 * 1024;
/** The longer side of a picture that is made smaller, and of what it becomes. */
export const EMOJI_SOURCE_SIDE = 2_048;
export const EMOJI_SIDE = 128;
/** GIFs stay as they are, so they must be small already: the longer side, the frames, and pixels of all frames together. */
export const EMOJI_GIF_BYTES = 256 * 1024;
export const EMOJI_GIF_SIDE = 256;
export const EMOJI_GIF_FRAMES = 120;
export const EMOJI_GIF_PIXELS = 4_000_000;
/** Emoji that a user may have added who does not administrate the server, and all emoji of a server. */
export const EMOJI_PER_USER = 100;
export const EMOJI_PER_SERVER = 1_000;

const NAME = /^[a-z0-9][a-z0-9_-]{1,31}$/;

/** True if a text has the form of a name: 2 to 32 characters of a-z, 0-9, `_` and `-`, the first a letter or a digit. */
export const isEmojiName = (text: string): boolean => NAME.test(text);

/** Returns what two names have in common that people would confuse. */
export const emojiKey = (name: string): string => name.replaceAll("-", "_");

/** The emoji behind short names that are no codes of emoji, and of two that are written with signs. */
export const NAMED_REACTIONS: Readonly<Record<string, string>> = {
  like: "👍",
  "+1": "👍",
  "-1": "👎",
  heart: "❤️",
  laugh: "😂",
};
