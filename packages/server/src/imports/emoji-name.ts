/** Returns a short name of the source as one that Parley allows, in reactions as in the list of emoji. */
export const emojiNameOf = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^a-z0-9_+-]+/g, "_")
    .slice(0, 32);
