/**
 * Converts text to the tokens that are searched for. Both databases index these tokens unchanged, so that they find the
 * same words, and a result can be checked here against the current text.
 *
 * - Letters, digits and pictographs count; everything else separates. Case, accents, strokes (`ł`), ligatures (`æ`) and
 *   compatibility forms (`ﬁ`, full width) are ignored. A symbol that means letters or digits (`㎏`, `℃`, `№`) is a word
 *   of its own.
 * - Scripts written without spaces (Chinese, Japanese, Thai …; Korean, whose particles attach to words) are cut into
 *   overlapping pairs of characters: any part of a run is found as the phrase of its pairs. The last character is also
 *   a token of its own, so that a phrase may continue after it. For single-character searches, each character is also a
 *   token with a leading `.`, after all words.
 */

/** A token and the text it was made from, in UTF-16 units. */
export interface Token {
  text: string;
  offset: number;
  length: number;
}

/** Longer words are truncated: the rest hardly distinguishes words, and the databases have limits. */
const TOKEN_MAX = 64;
/** PostgreSQL stores at most this many positions of a word in a text; later ones are ignored on both databases. */
const REPEATS_MAX = 255;

const ASCII = /^[\0-\x7f]*$/;
const ASCII_WORDS = /[a-z0-9]+/g;
/** The last two are letters in circles and squares, which make a word together, and symbols. */
const WORDS =
  /[\p{L}\p{N}][\p{L}\p{N}\p{M}]*|\p{Extended_Pictographic}|[\u24b6-\u24e9\u{1f130}-\u{1f149}]+|\p{So}|[^\P{Sc}$]/gu;
const FOLDED_WORDS = /[\p{L}\p{N}\p{M}]+|\p{Extended_Pictographic}/gu;
/** Accents of Latin, Greek and Cyrillic; points of Hebrew and Arabic; variation selectors. */
const MARKS = /[\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u064b-\u065f\u0670]|[\ufe00-\ufe0f]/g;
/** Letters that Unicode does not decompose, with what people write who do not have them on their keyboard. */
const BASES: ReadonlyMap<string, string> = new Map(
  (
    "ς:σ ł:l ƚ:l ⱡ:l ø:o ɵ:o đ:d ð:d ħ:h ŧ:t ⱦ:t ƀ:b ȼ:c ɇ:e ǥ:g ɨ:i ɉ:j ꝁ:k ᵽ:p ꝑ:p ɍ:r ʉ:u ɏ:y ƶ:z ⱥ:a " +
    "æ:ae œ:oe þ:th ꜳ:aa ꜵ:ao ꜷ:au ꜹ:av ꜽ:ay ꝏ:oo"
  )
    .split(" ")
    .map((pair) => [pair.slice(0, 1), pair.slice(2)] as const),
);
const LETTERS = new RegExp(`[${[...BASES.keys()].join("")}]`, "gu");
const SPACELESS =
  /[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Bopo}\p{scx=Hang}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}]+/gu;

/**
 * Takes the tokens of a text: the words in order, and the tokens of single characters. The text of the latter lacks its
 * leading `.`.
 */
interface Sink {
  word(text: string, offset: number, length: number): void;
  single(character: string, offset: number, length: number): void;
}

/** Returns the tokens of a text, in order. */
export function tokenize(text: string): Token[] {
  const tokens: Token[] = [];
  const singles: Token[] = [];
  const counts = new Counts();
  visit(text, {
    word: (text, offset, length) => void (counts.isWanted(text) && tokens.push({ text, offset, length })),
    single: (character, offset, length) => singles.push({ text: `.${character}`, offset, length }),
  });
  return tokens.concat(singles);
}

/**
 * Returns the indexed tokens of a text; tokens of single characters are included once. Makes no object for each token:
 * a long Chinese message has 8,000, and the index of a busy server would be made of garbage.
 */
export function indexedWords(text: string): string[] {
  const words: string[] = [];
  const singles = new Set<string>();
  const counts = new Counts();
  visit(text, {
    word: (word) => void (counts.isWanted(word) && words.push(word)),
    single: (character) => singles.add(character),
  });
  for (const character of singles) words.push(`.${character}`);
  return words;
}

/** Returns true for a token of a single-character search. */
export const isSingle = (token: string): boolean => token.startsWith(".");

function visit(text: string, sink: Sink): void {
  if (ASCII.test(text)) {
    for (const { 0: word, index } of text.toLowerCase().matchAll(ASCII_WORDS))
      sink.word(word.slice(0, TOKEN_MAX), index, word.length);
    return;
  }
  for (const { 0: word, index } of text.matchAll(WORDS)) {
    if (ASCII.test(word)) add(sink, word.toLowerCase(), index, word.length);
    else addFolded(sink, word, index);
  }
}

function add(sink: Sink, word: string, offset: number, length: number): void {
  // Truncated by characters, because half a surrogate pair cannot be stored.
  const text = word.length <= TOKEN_MAX ? word : [...word].slice(0, TOKEN_MAX).join("");
  sink.word(text, offset, length);
}

function addFolded(sink: Sink, word: string, offset: number): void {
  for (const [folded] of fold(word).matchAll(FOLDED_WORDS)) {
    let from = 0;
    for (const { 0: run, index } of folded.matchAll(SPACELESS)) {
      if (index > from) add(sink, folded.slice(from, index), offset, word.length);
      addPairs(sink, run, offset, word);
      from = index + run.length;
    }
    if (from < folded.length) add(sink, folded.slice(from), offset, word.length);
  }
}

/**
 * Adds the pairs of a run. Where folding changes the characters (ligatures become several), each token gets the place
 * of the whole word.
 */
function addPairs(sink: Sink, run: string, offset: number, word: string): void {
  const isAsWritten = run === word;
  for (let at = 0; at < run.length; ) {
    const next = at + lengthAt(run, at);
    const end = next < run.length ? next + lengthAt(run, next) : next;
    const start = isAsWritten ? offset + at : offset;
    sink.word(run.slice(at, end), start, isAsWritten ? end - at : word.length);
    sink.single(run.slice(at, next), start, isAsWritten ? next - at : word.length);
    at = next;
  }
}

/** Returns the length of the character at this place, in UTF-16 units. */
const lengthAt = (text: string, at: number): number => ((text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1);

/**
 * Folds the different spellings of a word into one form. It is lowered before it is raised, because only the small `ß`
 * becomes `SS`.
 */
function fold(word: string): string {
  return word
    .normalize("NFKD")
    .toLowerCase()
    .toUpperCase()
    .toLowerCase()
    .normalize("NFKD")
    .replace(MARKS, "")
    .replace(LETTERS, (letter) => BASES.get(letter) ?? letter)
    .normalize("NFC");
}

/** Counts the words of one text. */
class Counts {
  readonly #counts = new Map<string, number>();

  /** Counts a word. Returns false if the text had it too often before. */
  isWanted(word: string): boolean {
    const count = (this.#counts.get(word) ?? 0) + 1;
    this.#counts.set(word, count);
    return count <= REPEATS_MAX;
  }
}
