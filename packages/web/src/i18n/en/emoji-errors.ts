/** English texts of the errors of emoji. */
export const EN_EMOJI_ERRORS = {
  invalid_emoji_name: "A name has 2 to 32 of the characters a-z, 0-9, _ and -, and begins with a letter or a digit.",
  invalid_emoji_picture:
    "Choose a PNG, JPEG or WebP of at most 2,048 pixels, or a GIF of at most 256 KB and 256 pixels.",
  emoji_not_allowed: "You may not add emoji here.",
  emoji_not_found: "This emoji doesn't exist any more.",
  emoji_exists: "There is already an emoji of this name, or of one that looks the same.",
  emoji_limit_reached: "There is no room for more emoji. Delete one first.",
};
