import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { eachDatabase } from "../../test/support/databases.ts";
import { searchIndex } from "../db/search-index/index-of-database.ts";
import { indexedWords } from "./index/words.ts";
import { findTerms, parseQuery, QueryProblem } from "./query.ts";

const WORDS = [
  "a",
  "b",
  "ab",
  "abc",
  "abcd",
  "Ábc",
  "東京",
  "京都",
  "都",
  "東",
  "한국",
  "🎉",
  "and",
  "x_y",
  "it's",
  "\\",
  "'",
];
const text = fc
  .array(fc.constantFrom(...WORDS), { maxLength: 7 })
  .chain((words) => fc.constantFrom(" ", "", "-", ". ").map((between) => words.join(between)));
const queryPart = fc.oneof(
  fc.constantFrom(...WORDS, "abc*", "Ab-c*"),
  fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 3 }).map((words) => `"${words.join(" ")}"`),
);
const query = fc.array(queryPart, { minLength: 1, maxLength: 3 }).map((parts) => parts.join(" "));

eachDatabase((_name, open) => {
  describe("the index and the reference implementation", () => {
    // The reference is `findTerms`, plain JavaScript on the text: an index that agrees with it also agrees with the
    // other database.
    test("agree on the matches of any query in any texts", async () => {
      await using db = await open();
      const index = searchIndex(db.db);
      await fc.assert(
        fc.asyncProperty(
          fc.array(text, { minLength: 1, maxLength: 12 }),
          fc.array(query, { minLength: 1, maxLength: 6 }),
          async (texts, queries) => {
            await index.remove(
              db.db,
              Array.from({ length: 12 }, (_, i) => i + 1),
            );
            await index.put(
              db.db,
              texts.map((content, i) => ({ id: i + 1, tokens: indexedWords(content) })),
            );
            for (const asked of queries) {
              const terms = parseQuery(asked);
              if (terms instanceof QueryProblem) continue;
              const found = await index.find(db.db, { terms, anyOf: [], below: 100, limit: 100 });
              const expected = texts.flatMap((content, i) => (findTerms(terms, content) === null ? [] : [i + 1]));
              expect({ asked, texts, found }).toEqual({ asked, texts, found: expected.reverse() });
            }
          },
        ),
        { numRuns: 120 },
      );
    });
  });
});
