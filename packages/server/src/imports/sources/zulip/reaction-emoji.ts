import { emojiOfName } from "../emoji-names.ts";
import { type Fields, textOf } from "../fields.ts";

const CODE = /^[0-9a-f]{2,6}(?:-[0-9a-f]{2,6}){0,12}$/i;
const EMOJI = /^\p{RGI_Emoji}$/v;
const VARIANT = "\u{fe0f}";

/** Returns the emoji of a reaction, or the short name of one that is the organisation's own; empty if it has neither. */
export function emojiOfRow(reaction: Fields): string {
  const [name, code] = [textOf(reaction, "emoji_name").slice(0, 100), textOf(reaction, "emoji_code")];
  if (textOf(reaction, "reaction_type") !== "unicode_emoji" && reaction.reaction_type !== undefined) return name;
  return emojiOfCode(code) ?? emojiOfName(name) ?? name;
}

/** Zulip leaves out the sign that asks for the coloured picture. */
function emojiOfCode(code: string): string | undefined {
  if (!CODE.test(code)) return undefined;
  const points = code.split("-").map((each) => Number.parseInt(each, 16));
  if (points.some((point) => point > 0x10ffff || (point >= 0xd800 && point <= 0xdfff))) return undefined;
  const bare = String.fromCodePoint(...points);
  const first = String.fromCodePoint(points[0] ?? 0);
  return [bare, `${bare}${VARIANT}`, bare.replace(first, `${first}${VARIANT}`)].find((text) => EMOJI.test(text));
}
