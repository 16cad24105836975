import { describe, expect, test } from "bun:test";
import { eachDialect } from "../../../test/support/databases.ts";
import { transactional } from "../../../test/support/transactional.ts";
import type { OpenDatabase } from "../database.ts";
import { transact } from "../transact.ts";
import { searchIndex } from "./index-of-database.ts";
import type { IndexQuery, Term } from "./search-index.ts";

const term = (text: string): Term => {
  const isPrefix = text.endsWith("*");
  return { tokens: (isPrefix ? text.slice(0, -1) : text).split(" "), isPrefix };
};

const ALL = { anyOf: [], below: 1_000, limit: 100 };

function find({ db }: OpenDatabase, terms: string[], over: Partial<IndexQuery> = {}): Promise<number[]> {
  return searchIndex(db).find(db, { ...ALL, terms: terms.map(term), ...over });
}

const put = ({ db }: OpenDatabase, texts: Record<number, string>): Promise<void> =>
  searchIndex(db).put(
    db,
    Object.entries(texts).map(([id, text]) => ({ id: Number(id), tokens: text.split(" ").filter(Boolean) })),
  );

eachDialect((_name, open) => {
  describe("the search index", () => {
    test("finds all words, neighbours and prefixes of a query, newest first", async () => {
      await using db = await open();
      await put(db, { 1: "the quick brown fox", 2: "the brown quick fox", 3: "quickly said the fox", 9: "" });
      expect(await find(db, ["fox"])).toEqual([3, 2, 1]);
      expect(await find(db, ["quick", "fox"])).toEqual([2, 1]);
      expect(await find(db, ["quick brown"])).toEqual([1]);
      expect(await find(db, ["qui*"])).toEqual([3, 2, 1]);
      expect(await find(db, ["said the f*"])).toEqual([3]);
      expect(await find(db, ["the", "cow"])).toEqual([]);
      expect(await find(db, ["quick fox"])).toEqual([2]);
    });

    test("searches below an id and in one of several scopes", async () => {
      await using db = await open();
      await put(db, { 1: "#1 @ann.b_c-d x", 2: "#2 @ann x", 3: "#10 x", 4: "#1 x" });
      expect(await find(db, ["x"], { below: 4, limit: 2 })).toEqual([3, 2]);
      expect(await find(db, ["x"], { limit: 2 })).toEqual([4, 3]);
      expect(await find(db, ["x"], { anyOf: ["#1"] })).toEqual([4, 1]);
      expect(await find(db, ["x"], { anyOf: ["#1", "#2", "#5"] })).toEqual([4, 2, 1]);
      expect(await find(db, ["@ann.b_c-d"])).toEqual([1]);
      expect(await find(db, ["@ann"])).toEqual([2]);
      expect(await find(db, ["ann"])).toEqual([]);
    });

    test("knows the latest words of a message, and nothing of a removed one", async () => {
      await using db = await open();
      const index = searchIndex(db.db);
      await put(db, { 1: "old words", 2: "stay" });
      await put(db, { 1: "new words", 3: "words" });
      expect(await find(db, ["old"])).toEqual([]);
      expect(await find(db, ["words"])).toEqual([3, 1]);
      await index.remove(db.db, [1, 77]);
      await index.remove(db.db, []);
      await index.put(db.db, []);
      expect(await find(db, ["words"])).toEqual([3]);
      await put(db, { 1: "again" });
      expect(await find(db, ["again"])).toEqual([1]);
    });

    test("takes any token: other scripts, emoji, words of the query language, long ones", async () => {
      await using db = await open();
      const long = "𝒳".repeat(64);
      await put(db, { 1: `東京 京都 都 .東 🎉 and or not near ${long}`, 2: "größe" });
      for (const word of ["東京 京都", ".東", "🎉", "and or not", "near", long, "都"]) {
        expect([word, await find(db, [word])]).toEqual([word, [1]]);
      }
      expect(await find(db, ["grö*"])).toEqual([2]);
      expect(await find(db, ["gro*"])).toEqual([]);
    });

    test("rolls back with its transaction", async () => {
      await using db = await open();
      const failed = transact(transactional(db), async (ctx) => {
        await searchIndex(ctx.db).put(ctx.db, [{ id: 5, tokens: ["gone"] }]);
        throw new Error("no");
      });
      await expect(failed).rejects.toThrow("no");
      expect(await find(db, ["gone"])).toEqual([]);
    });
  });
});
