/** Han characters are rendered differently by language; these scripts reveal which one it is. */
const KANA = /[\p{Script=Hiragana}\p{Script=Katakana}]/u;
const HANGUL = /\p{Script=Hangul}/u;

/** Returns the language to render a text in, if its script reveals it; undefined: the page's language. */
export function languageOf(text: string): "ja" | "ko" | undefined {
  if (KANA.test(text)) return "ja";
  return HANGUL.test(text) ? "ko" : undefined;
}
