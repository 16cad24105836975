/**
 * Letters of scripts that do not separate words by spaces, or that attach suffixes directly to a name. Next to one of
 * them a word of another script, a name or a code, begins and ends (protocol §5: names match on word borders), as in
 * `你好@ann早`.
 */
export const UNSPACED_LETTER =
  /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Hangul}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}]/u;

/** The at sign of Chinese and Japanese keyboards. */
export const WIDE_AT = "＠";
/** Begins a mention. */
export const AT_SIGN = /[@＠]/g;
