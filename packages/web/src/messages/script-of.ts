/** Han characters are drawn as the language around them has them; these letters tell which it is. */
const KANA = /[\p{Script=Hiragana}\p{Script=Katakana}]/u;
const HANGUL = /\p{Script=Hangul}/u;

/** The language a text is to be drawn in, where its letters tell; undefined: as the page. */
export function languageOf(text: string): "ja" | "ko" | undefined {
  if (KANA.test(text)) return "ja";
  return HANGUL.test(text) ? "ko" : undefined;
}
