import { emojiOfGithubName, emojiOfName } from "../../emoji-names.ts";

/** Mattermost's names of skin tones, lightest first. */
const TONES = ["light", "medium_light", "medium", "medium_dark", "dark"];
const TONED = /^(.{1,64}?)_(light|medium_light|medium|medium_dark|dark)_skin_tone$/;
/** Slack's number of the lightest one. */
const FIRST_TONE = 2;

/** Returns the emoji of Unicode that Mattermost means by a name, which is Slack's or GitHub's; undefined if the workspace made it itself. */
export function emojiOf(name: string): string | undefined {
  const [, base = "", tone = ""] = TONED.exec(name) ?? [];
  const number = TONES.indexOf(tone) + FIRST_TONE;
  return (
    emojiOfName(name) ??
    emojiOfGithubName(name) ??
    (base === "" ? undefined : emojiOfName(`${base}::skin-tone-${number}`))
  );
}
