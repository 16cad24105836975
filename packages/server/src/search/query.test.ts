import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { findTerms, parseQuery, QueryProblem } from "./query.ts";

const parsed = (query: string): string[] => {
  const terms = parseQuery(query);
  if (terms instanceof QueryProblem) throw new Error(terms.text);
  return terms.map(({ tokens, isPrefix }) => tokens.join(" ") + (isPrefix ? "*" : ""));
};

/** Returns the text that is highlighted; null when there is no match. */
const marked = (query: string, text: string): string[] | null => {
  const terms = parseQuery(query);
  if (terms instanceof QueryProblem) throw new Error(terms.text);
  return findTerms(terms, text)?.map(({ offset, length }) => text.slice(offset, offset + length)) ?? null;
};

describe("a search query", () => {
  test.each([
    ["Hello  World", ["hello", "world"]],
    ['say "Big World" now', ["say", "big world", "now"]],
    ['"open quote', ["open quote"]],
    ["a AND b OR NOT c", ["a", "and", "b", "or", "not", "c"]],
    ["hello hello HELLO", ["hello"]],
    ["conf* foo-bar*", ["conf*", "foo bar*"]],
    ["don't e-mail user@example.com", ["don t", "e mail", "user example com"]],
    ['words:x ^y (z) {"q"}', ["words x", "y", "z", "q"]],
    ["-minus +plus & |", ["minus", "plus"]],
    ["* ** x *", ["x"]],
    ["東京", ["東京"]],
    ["東京都", ["東京 京都"]],
    ["都", [".都"]],
    ["東京*", ["東京"]],
    ['"京 hello"', ["京 hello"]],
    ['"hello 京"', ["hello", ".京"]],
    ["ああ ああ", ["ああ"]],
    ['"都 都"', ["都", ".都"]],
    ["🎉*", ["🎉"]],
  ])("is parsed: %s", (query, terms) => {
    expect(parsed(query)).toEqual(terms);
  });

  test.each([
    "!!!",
    '""',
    '"',
    " * ",
    "a*",
    "ab* hello",
    "a-b*",
    "...",
    Array.from({ length: 21 }, (_, i) => i).join(" "),
  ])("is refused: %s", (query) => {
    expect(parseQuery(query)).toBeInstanceOf(QueryProblem);
  });
});

describe("search highlights", () => {
  test.each([
    ["fox", "The Fox, a fox.", ["Fox", "fox"]],
    ["grosse", "Die Größe", ["Größe"]],
    ['"quick brown" fox', "quick brown fox", ["quick brown", "fox"]],
    ['"quick fox"', "quick brown fox", null],
    ["bro*", "brown bro fox brave", ["brown", "bro"]],
    ["東京都 都", "は東京都です", ["東京都"]],
    ["京 です", "は東京都です", ["京", "です"]],
    ["大阪", "は東京都です", null],
    ["fox cow", "fox", null],
  ])("mark the matches of %s in %s", (query, text, shown) => {
    expect(marked(query, text)).toEqual(shown);
  });

  test("appear for every word of a text, and for every run of its words in quotes (property)", () => {
    const word = fc.oneof(
      fc.constantFrom("a", "Größe", "東京都", "한국어", "🎉", "x-y", "don't"),
      fc.string({ maxLength: 6 }),
    );
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 8 }), fc.nat(), fc.nat(), (words, i, j) => {
        const part = words
          .slice(i % words.length)
          .slice(0, 1 + (j % 4))
          .join(" ")
          .replaceAll('"', " ");
        const terms = parseQuery(`"${part}"`);
        if (terms instanceof QueryProblem) return;
        expect(findTerms(terms, words.join(" ").replaceAll('"', " "))).not.toBeNull();
      }),
      { numRuns: 1_000 },
    );
  });
});
