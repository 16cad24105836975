import { nameOfEmoji } from "../../imports/sources/emoji-names.ts";

const TONES = ["light", "medium_light", "medium", "medium_dark", "dark"];
const SHORT = /^[a-z0-9_+-]+$/;

/** Returns Mattermost's name of a reaction: an emoji, with one skin tone at most, or the name of an own one. */
export function mattermostName(reaction: string): string | undefined {
  if (SHORT.test(reaction)) return reaction;
  const found = nameOfEmoji(reaction);
  if (found === undefined || found.tones.length > 1) return undefined;
  const [tone] = found.tones;
  return tone === undefined ? found.name : `${found.name}_${TONES[tone - 2]}_skin_tone`;
}
