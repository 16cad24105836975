import english from "emojibase-data/en/compact.json";
import codes from "emojibase-data/en/shortcodes/github.json";
import slackCodes from "emojibase-data/en/shortcodes/iamcal.json";

// Runs while the page is bundled (a macro), so that only what the picker needs is sent to the browser: a line for each
// emoji, with fields separated by tabs. The bundler and the server run on the same engine, so its list of emoji is the
// one by which the server accepts reactions.

const EMOJI = /^\p{RGI_Emoji}$/v;
const TONES = ["\u{1f3fb}", "\u{1f3fc}", "\u{1f3fd}", "\u{1f3fe}", "\u{1f3ff}"];
/** Parts of emoji, such as skin tones. */
const COMPONENTS = 2;

/** Returns the emoji as the server stores it; undefined: it accepts none like it. */
function storedForm(text: string): string | undefined {
  return [text, text.replaceAll("\u{fe0f}", "")].find((form) => EMOJI.test(form));
}

const shown = english.flatMap(({ unicode, group, hexcode, label, tags, skins }) => {
  const text = storedForm(unicode);
  if (text === undefined || group === undefined || group === COMPONENTS) return [];
  return [{ text, group, hexcode, label, tags, hasTones: skins !== undefined && TONES.every(fits(text)) }];
});

function fits(text: string): (tone: string) => boolean {
  return (tone) => EMOJI.test(text.replace(/(\p{Emoji_Modifier_Base})\u{fe0f}?/gu, `$1${tone}`));
}

const lineOf = (...fields: readonly (string | number)[]): string => fields.join("\t");
const asWords = (tags: readonly string[] = []): string => tags.join(" ");

/** Returns all emoji: the emoji, its group, 1 if it has skin tones, its codes, its English name and further words. */
export function emojiLines(): string {
  return shown
    .map((emoji) => {
      const { text, group, label, tags, hasTones } = emoji;
      return lineOf(text, group, hasTones ? 1 : 0, codesOf(emoji).join(" "), label, asWords(tags));
    })
    .join("\n");
}

/** Returns the codes of all emoji, with spaces between them: names that no emoji of a server may have. */
export const emojiCodes = (): string => shown.flatMap(codesOf).join(" ");

/** Returns the emoji with Slack's short names for them (iamcal's table): an emoji and its names, a line each. */
export const slackEmojiLines = (): string => linesWith(slackCodes);

/** Returns the emoji with GitHub's names for them, in the same form. */
export const githubEmojiLines = (): string => linesWith(codes);

const linesWith = (table: unknown): string =>
  shown
    .flatMap(({ text, hexcode }) => {
      const names = [(table as Record<string, string | string[]>)[hexcode] ?? []].flat();
      return names.length === 0 ? [] : [`${text} ${names.join(" ")}`];
    })
    .join("\n");

/** Returns the usual codes of an emoji; if there are none, one that is made of its name. */
function codesOf({ hexcode, label }: { hexcode: string; label: string }): string[] {
  const usual = [(codes as Record<string, string | string[]>)[hexcode] ?? []].flat();
  return usual.length === 0 ? [codeOf(label)] : usual;
}

const codeOf = (label: string): string =>
  label
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, "_")
    .replace(/^_|_$/g, "");

/** Returns the name and further words of each emoji in a language that Emojibase has, in the same order. */
export async function emojiNames(language: string): Promise<string> {
  const { default: names } = (await import(`emojibase-data/${language}/compact.json`)) as { default: typeof english };
  const named = new Map(names.map((each) => [each.hexcode, each]));
  return shown
    .map(({ hexcode }) => lineOf(named.get(hexcode)?.label ?? "", asWords(named.get(hexcode)?.tags)))
    .join("\n");
}
