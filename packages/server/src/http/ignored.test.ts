import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { Type } from "typebox";
import { ignoredNames, isOneEdit, knownNames, refuseTypos } from "./ignored.ts";

describe("known names", () => {
  test("include those of every variant of a schema", () => {
    const schema = Type.Union([Type.Object({ a: Type.String() }), Type.Object({ b: Type.Optional(Type.Number()) })]);
    expect(knownNames(schema)).toEqual(new Set(["a", "b"]));
    expect(knownNames(Type.Intersect([schema, Type.Object({ c: Type.Null() })]))).toEqual(new Set(["a", "b", "c"]));
  });

  test("include every name if a schema accepts any", () => {
    expect(knownNames(Type.Record(Type.String(), Type.String()))).toBeNull();
    expect(knownNames(Type.Unknown())).toBeNull();
  });
});

describe("ignored names", () => {
  const known = new Set(["limit", "mark_read"]);

  test("are listed once each, in the order they were sent", () => {
    expect(ignoredNames(known, ["b", "limit", "a", "b"])).toBe("b,a");
    expect(ignoredNames(known, ["limit"])).toBeNull();
    expect(ignoredNames(null, ["a"])).toBeNull();
  });

  test("give a short header of safe characters, whatever was sent (property)", () => {
    const name = fc.oneof(
      fc.string({ unit: "binary", maxLength: 200 }),
      fc.constantFrom("\r\nset-cookie: a=b", "\ud800", ",", ""),
    );
    fc.assert(
      fc.property(fc.array(name, { maxLength: 50 }), (names) => {
        const header = ignoredNames(known, names) ?? "";
        expect(header).toMatch(/^[A-Za-z0-9%,_.!~*'()-]{0,512}$/);
        expect(header.split(",").length).toBeLessThanOrEqual(10);
        new Headers({ "x-ignored": header });
      }),
    );
  });
});

describe("typing errors", () => {
  test.each([
    ["mark_raed", true],
    ["mark_rea", true],
    ["mark_readd", true],
    ["Mark_read", true],
    ["markread", true],
    ["mark_dear", false],
    ["m", false],
    ["", false],
  ])("%s is one edit away from mark_read: %p", (name, expected) => {
    expect(isOneEdit(name, "mark_read")).toBe(expected);
    expect(isOneEdit("mark_read", name)).toBe(expected);
  });

  test("are refused with the name and a suggestion", () => {
    expect(() => refuseTypos(new Set(["mark_read"]), ["mark_raed"])).toThrow(
      expect.objectContaining({
        code: "invalid_request",
        details: [{ path: "mark_raed", message: "is unknown; did you mean mark_read?" }],
      }),
    );
    refuseTypos(new Set(["mark_read"]), ["mark_read", "else"]);
  });

  test("use the distance of Damerau and Levenshtein (property)", () => {
    const word = fc.string({ unit: fc.constantFrom("a", "b", "c"), maxLength: 5 });
    fc.assert(
      fc.property(word, word, (a, b) => expect(isOneEdit(a, b)).toBe(distance(a, b) === 1)),
      { numRuns: 2_000 },
    );
  });
});

/** The textbook edit distance. */
function distance(a: string, b: string): number {
  const rows = Array.from({ length: a.length + 1 }, (_, i) => [i, ...Array<number>(b.length).fill(0)]);
  const at = (i: number, j: number) => (i === 0 ? j : (rows[i]?.[j] ?? 0));
  for (let i = 1; i <= a.length; i++) {
    for (let j = 1; j <= b.length; j++) {
      const swap = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] && i > 1 && j > 1 ? at(i - 2, j - 2) + 1 : 99;
      const change = at(i - 1, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1);
      rows[i]?.splice(j, 1, Math.min(at(i - 1, j) + 1, at(i, j - 1) + 1, change, swap));
    }
  }
  return at(a.length, b.length);
}
