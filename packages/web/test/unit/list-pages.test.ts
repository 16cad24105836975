import { expect, test } from "bun:test";
import { readPages } from "../../src/session/list-pages.ts";

test("a list that is read again has as many pages as were shown", async () => {
  const load = async (from = 0) => ({ items: [from, from + 1], next: from < 4 ? from + 2 : null });
  expect(await readPages(load, 1, undefined)).toEqual({ items: [0, 1], next: 2 });
  expect(await readPages(load, 2, undefined)).toEqual({ items: [0, 1, 2, 3], next: 4 });
  expect(await readPages(load, 9, 2)).toEqual({ items: [2, 3, 4, 5], next: null });
});
