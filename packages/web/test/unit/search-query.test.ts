import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { parseSearch, queryOf, startOfDay, withFilter, withPrefix } from "../../src/model/search-query.ts";

describe("a typed search", () => {
  test.each([
    ["release notes", "release notes", {}],
    ["from:ada in:general release", "release", { from: "ada", in: "general" }],
    ["release before:2026-11-01 after:2026-10-01", "release", { before: "2026-11-01", after: "2026-10-01" }],
    ['from:"Robo Cop" "next week"', '"next week"', { from: "Robo Cop" }],
    ["from:@ada in:#general on:2026-11-23", "", { from: "ada", in: "general", on: "2026-11-23" }],
    ["in:@ben lunch", "lunch", { in: "ben" }],
    ["FROM:Ada x", "x", { from: "Ada" }],
    ["from：小明 发布", "发布", { from: "小明" }],
    ["from:ada from:ben", "", { from: "ben" }],
    ["is:pinned has:File plan has:link", "plan", { is: "pinned", has: "file,link" }],
    ["from: hello", "hello", {}],
    ['"from:ada" x', '"from:ada" x', {}],
    ["upfrom:ada http://x", "upfrom:ada http://x", {}],
    ['"open quote', '"open quote', {}],
    ["", "", {}],
  ])("is taken apart: %s", (text, words, filters) => {
    expect(parseSearch(text)).toEqual({ words, filters, wrongDate: null, wrongFact: null });
  });

  test.each(["before:monday", "after:2026-02-30", "on:2026-13-01", "before:01.11.2026"])(
    "names the date that is none: %s",
    (text) => {
      expect(parseSearch(`words ${text}`).wrongDate).toBe(text);
    },
  );

  test("keeps its words and its other operators when one of them changes (property)", () => {
    const part = fc.constantFrom("word", '"a phrase"', "from:ada", "in:hall", "on:2026-11-23", "before:2026-01-01");
    fc.assert(
      fc.property(fc.array(part, { maxLength: 6 }), fc.constantFrom("ben", "Robo Cop", null), (parts, value) => {
        const before = parseSearch(parts.join(" "));
        const after = parseSearch(withFilter(parts.join(" "), "from", value));
        const { from: _, ...others } = before.filters;
        expect(after).toEqual({ ...before, filters: { ...others, ...(value === null ? {} : { from: value }) } });
      }),
    );
  });

  test.each([
    ["rele", "rele*"],
    ["the release", "the release*"],
    ["ab", "ab"],
    ["release ", "release "],
    ["foo-bars", "foo-bars*"],
    ["foo-ba", "foo-ba"],
    ['"next week"', '"next week"'],
    ["fish*", "fish*"],
    ["発表会", "発表会"],
    ["Größe", "Größe*"],
    ["done!", "done!"],
  ])("finds the beginning of its last word: %s", (words, query) => {
    expect(withPrefix(words)).toBe(query);
  });

  test("asks the server for whole days of this device, without the days of `after` and `before`", () => {
    const day = (date: number) => new Date(2026, 10, date).toISOString();
    expect(queryOf(parseSearch("tea from:ada after:2026-11-02 before:2026-11-05"))).toEqual({
      q: "tea*",
      username: "ada",
      since: day(3),
      until: day(5),
    });
    expect(queryOf(parseSearch("tea from:me is:pinned"))).toEqual({ q: "tea*", is: "pinned,mine" });
    expect(queryOf(parseSearch("from:Me"))).toEqual({ is: "mine" });
    expect(queryOf(parseSearch("from:ada on:2026-11-02 after:2026-10-01"))).toEqual({
      username: "ada",
      since: day(2),
      until: day(3),
    });
    expect(startOfDay("2026-11-30", 1)?.toISOString()).toBe(new Date(2026, 11, 1).toISOString());
    expect(startOfDay("2026-11-31")).toBeNull();
  });
});
