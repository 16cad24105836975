// Macros, so that the server's program has the names and not the data they are from.
import { discordEmojiLines, githubEmojiLines, slackEmojiLines } from "../../../../web/src/i18n/emoji-lines.ts" with {
  type: "macro",
};

const SLACK_LINES: string = slackEmojiLines();
const GITHUB_LINES: string = githubEmojiLines();
const DISCORD_LINES: string = discordEmojiLines();

const EMOJI = /^\p{RGI_Emoji}$/v;
const BASE = /(\p{Emoji_Modifier_Base})\u{fe0f}?/gu;
/** The first tone of Slack is number 2, as on the scale of Fitzpatrick. */
const FIRST_TONE = 0x1f3fb - 2;
const TONES = /^skin-tone-([2-6])(?:-([2-6]))?$/;

const tableOf = (lines: string): ReadonlyMap<string, string> =>
  new Map(
    lines.split("\n").flatMap((line) => {
      const [emoji = "", ...names] = line.split(" ");
      return names.map((name): [string, string] => [name, emoji]);
    }),
  );
const byName = tableOf(SLACK_LINES);
const byGithubName = tableOf(GITHUB_LINES);
const byDiscordName = tableOf(DISCORD_LINES);

/** Returns the emoji of Unicode that GitHub means by a name; undefined if it has none. */
export const emojiOfGithubName = (name: string): string | undefined => byGithubName.get(name);

/**
 * Returns the emoji of Unicode that Slack means by a short name without the outer colons, also with a skin tone
 * (`wave::skin-tone-3`); undefined if the workspace made it itself.
 */
export function emojiOfName(name: string): string | undefined {
  const [short = "", tone] = name.split("::");
  return withTone(byName.get(short), tone);
}

/** Returns the emoji of Unicode that Discord means by a short name, also with a tone (`wave_tone3`, `wave::skin-tone-4`). */
export function emojiOfDiscordName(name: string): string | undefined {
  const [, short = name, number] = /^(.+)_tone([1-5])$/.exec(name) ?? [];
  const [base = "", tone = number === undefined ? undefined : `skin-tone-${Number(number) + 1}`] = short.split("::");
  return withTone(byDiscordName.get(base) ?? byName.get(base), tone);
}

function withTone(emoji: string | undefined, tone: string | undefined): string | undefined {
  if (emoji === undefined || tone === undefined) return emoji;
  const [, first, second = first] = TONES.exec(tone) ?? [];
  if (first === undefined) return emoji;
  let tones = [first, second];
  const toned = emoji.replace(BASE, (_, base: string) => {
    const [next = "", ...rest] = tones;
    tones = rest.length === 0 ? [next] : rest;
    return base + String.fromCodePoint(FIRST_TONE + Number(next));
  });
  return EMOJI.test(toned) ? toned : emoji;
}

const nameOf: ReadonlyMap<string, string> = new Map([...byName].reverse().map(([name, emoji]) => [emoji, name]));
const TONE = /[\u{1f3fb}-\u{1f3ff}]/gu;

/** The short name of an emoji, and the numbers of its skin tones, as Slack counts them: none, one, or one for each person. */
export interface EmojiName {
  readonly name: string;
  readonly tones: readonly number[];
}

/** Returns Slack's short name of an emoji of Unicode; undefined if it has none. */
export function nameOfEmoji(emoji: string): EmojiName | undefined {
  const own = nameOf.get(emoji);
  if (own !== undefined) return { name: own, tones: [] };
  const tones = [...emoji.matchAll(TONE)].map(([tone]) => (tone.codePointAt(0) ?? 0) - FIRST_TONE);
  const bare = emoji.replace(TONE, "");
  // Some have a variation selector only while they have no tone.
  const name = nameOf.get(bare) ?? nameOf.get(emoji.replace(TONE, "\u{fe0f}")) ?? nameOf.get(`${bare}\u{fe0f}`);
  return name === undefined ? undefined : { name, tones: new Set(tones).size === 1 ? tones.slice(0, 1) : tones };
}

/** Returns the short name of an emoji with its tones as Slack writes it: `wave::skin-tone-3`; undefined if it has none. */
export function slackNameOf(emoji: string): string | undefined {
  const found = nameOfEmoji(emoji);
  if (found === undefined) return undefined;
  const full = found.tones.length === 0 ? found.name : `${found.name}::skin-tone-${found.tones.join("-")}`;
  return emojiOfName(full) === emoji ? full : undefined;
}
