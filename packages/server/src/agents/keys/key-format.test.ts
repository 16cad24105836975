import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { systemClock } from "../../clock.ts";
import { hashSecret, keyIdOf, keyPrefix, makeKey, parseKey } from "./key-format.ts";

const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

describe("an API key", () => {
  test("has the protocol's form and can be parsed", () => {
    const key = makeKey(systemClock);
    expect(key.text).toMatch(/^ply_[0-9A-Za-z]{12}_[0-9A-Za-z]{49}$/);
    expect(parseKey(key.text)).toEqual({ id: key.id, secret: key.secret, checksum: key.text.slice(-6) });
    expect(makeKey(systemClock).text).not.toBe(key.text);
  });

  test("keeps its form, so that issued keys stay valid", () => {
    let next = 0;
    const key = makeKey({ randomBelow: () => next++ % 62 });
    expect(key.text).toBe("ply_0123456789AB_CDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrs2b8Bao");
    expect(hashSecret(key.secret).toString("hex")).toBe(
      "905576037ac04b62b77af490cf008c81c6a07397d81da1112d34da7c8f1fab6f",
    );
  });

  test("with one wrong character is detected without a database query (property)", () => {
    const { text } = makeKey(systemClock);
    fc.assert(
      fc.property(fc.integer({ min: 0, max: text.length - 1 }), fc.constantFrom(...ALPHABET), (at, symbol) => {
        fc.pre(text[at] !== symbol);
        expect(parseKey(text.slice(0, at) + symbol + text.slice(at + 1))).toBeNull();
      }),
      { numRuns: 1_000 },
    );
  });

  test("is never parsed from any other text (property)", () => {
    fc.assert(fc.property(fc.string({ maxLength: 80 }), (text) => expect(parseKey(text)).toBeNull()));
    const { text } = makeKey(systemClock);
    for (const other of [`${text} `, ` ${text}`, `${text}\n`, text.slice(1), text.toLowerCase(), `${text}0`]) {
      expect(parseKey(other)).toBeNull();
    }
  });

  test("is referred to by its id, its prefix or itself", () => {
    const { id, text } = makeKey(systemClock);
    expect([id, keyPrefix(id), text].map(keyIdOf)).toEqual([id, id, id]);
    expect(["", "ply_", "ply_short", `${text}x`, `${id}x`].map(keyIdOf)).toEqual([null, null, null, null, null]);
  });
});
