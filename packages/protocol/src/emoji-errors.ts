/** The errors of the server's own emoji (protocol §13.17), a part of `ERRORS`. */
export const EMOJI_ERRORS = {
  invalid_emoji_name: [400, "An emoji's name has 2 to 32 characters of a-z 0-9 _ -, the first a letter or a digit."],
  invalid_emoji_picture: [
    400,
    "An emoji is a PNG, JPEG or WebP of at most 2,048 x 2,048 pixels, or a GIF of at most 256 KiB, 256 x 256 pixels, 120 frames and 4 million pixels in all.",
  ],
  emoji_not_allowed: [403, "On this server you may not add emoji. details says who may."],
  emoji_not_found: [404, "The server has no such emoji."],
  emoji_exists: [409, "There is an emoji of this name, or one that differs only by - and _."],
  emoji_limit_reached: [409, "There is no room for more emoji. details says whose limit is reached."],
} as const;
