import { NAMED_REACTIONS } from "@parley/protocol/emoji-limits";

/** Returns the emoji for a reaction's name; other names are shown as text. */
export const pictureOf = (reaction: string): string =>
  (Object.hasOwn(NAMED_REACTIONS, reaction) && NAMED_REACTIONS[reaction]) || reaction;
