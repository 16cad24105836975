import { expect, test } from "bun:test";
import fc from "fast-check";
import { clampLimit, pageBefore, pageByOffset } from "./pages.ts";

test.each([
  [undefined, 50],
  [1, 1],
  [200, 200],
  [201, 200],
])("a requested limit of %p becomes %p", (asked, limit) => {
  expect(clampLimit(asked)).toBe(limit);
});

const sizes = { total: fc.nat({ max: 30 }), limit: fc.integer({ min: 1, max: 12 }) };

test("pages by offset cover the whole list once, in order", async () => {
  await fc.assert(
    fc.asyncProperty(sizes.total, sizes.limit, async (total, limit) => {
      const list = Array.from({ length: total }, (_, n) => n);
      const read: number[] = [];
      for (let offset: number | null = 0; offset !== null; ) {
        const find = (page: { limit: number; offset: number }) => list.slice(page.offset, page.offset + page.limit);
        const page: Awaited<ReturnType<typeof pageByOffset<number>>> = await pageByOffset({ limit, offset }, find);
        expect(page).toMatchObject({ limit, has_more: offset + limit < total });
        read.push(...page.shown);
        offset = page.next_offset;
      }
      expect(read).toEqual(list);
    }),
  );
});

test("pages from the newest on, by id, cover the whole list once", async () => {
  await fc.assert(
    fc.asyncProperty(sizes.total, sizes.limit, async (total, limit) => {
      const list = Array.from({ length: total }, (_, n) => ({ id: total - n }));
      const read: { id: number }[] = [];
      for (let before: number | null = total + 1; before !== null; ) {
        const from = before;
        const find = async (most: number) => list.filter(({ id }) => id < from).slice(0, most);
        const page: Awaited<ReturnType<typeof pageBefore<{ id: number }>>> = await pageBefore(limit, find);
        expect(page).toMatchObject({ limit, has_more: page.next_before !== null });
        read.push(...page.shown);
        before = page.next_before;
      }
      expect(read).toEqual(list);
    }),
  );
});
