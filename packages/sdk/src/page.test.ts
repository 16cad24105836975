import { expect, test } from "bun:test";
import { listPages } from "./page.ts";

interface Body {
  entries: number[];
  next: number | null;
}

/** A list of pages; `asked` records the cursors of the requests. */
function pagesOf(...pages: readonly number[][]) {
  const asked: number[] = [];
  const list = {
    async fetch({ cursor = 0 }: { cursor?: number }): Promise<Body> {
      asked.push(cursor);
      return { entries: pages[cursor] ?? [], next: cursor + 1 < pages.length ? cursor + 1 : null };
    },
    items: ({ entries }: Body) => entries,
    next: ({ next }: Body) => (next === null ? null : { cursor: next }),
  };
  return { asked, list: () => listPages(list, {}) };
}

test("iterating a list yields the items of all pages and fetches each on demand", async () => {
  const { asked, list } = pagesOf([1, 2], [], [3]);
  const seen: number[] = [];
  for await (const item of list()) {
    seen.push(item);
    if (item === 2) expect(asked).toEqual([0]);
  }
  expect([seen, asked]).toEqual([
    [1, 2, 3],
    [0, 1, 2],
  ]);
});

test("leaving the iteration fetches no further page", async () => {
  const { asked, list } = pagesOf([1, 2], [3]);
  for await (const item of list()) if (item === 2) break;
  expect(asked).toEqual([0]);
});

test("a page has the response's fields, its items and the next page", async () => {
  const { list } = pagesOf([1, 2], [3]);
  const first = await list();
  // Only the response is visible when the page is printed, compared or serialized.
  expect(first).toEqual({ entries: [1, 2], next: 1 } as typeof first);
  expect(JSON.stringify(first)).toBe('{"entries":[1,2],"next":1}');
  expect([first.items, first.hasNextPage]).toEqual([[1, 2], true]);
  const second = await first.nextPage();
  expect([second?.entries, second?.hasNextPage, await second?.nextPage()]).toEqual([[3], false, null]);
  expect(await Array.fromAsync(first)).toEqual([1, 2, 3]);
});

test("a list can be iterated more than once; only its first page is not fetched again", async () => {
  const { asked, list } = pagesOf([1], [2]);
  const all = list();
  expect([await Array.fromAsync(all), await Array.fromAsync(all)]).toEqual([
    [1, 2],
    [1, 2],
  ]);
  expect(asked).toEqual([0, 1, 1]);
});

test("the error of a page rejects the promise and the iteration, and then() returns a plain promise", async () => {
  const broken = () =>
    listPages({ fetch: () => Promise.reject<Body>(new Error("no")), items: ({ entries }) => entries }, {});
  await expect(broken()).rejects.toThrow("no");
  await expect(Array.fromAsync(broken())).rejects.toThrow("no");
  expect(await broken().catch(() => "caught")).toBe("caught");
});
