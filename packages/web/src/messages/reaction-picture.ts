/** Emoji for reaction names; other names are shown as text. */
const PICTURES: Record<string, string> = { like: "👍", "+1": "👍", "-1": "👎", heart: "❤️", laugh: "😂" };

export const pictureOf = (reaction: string): string => PICTURES[reaction] ?? reaction;
