import { expect, test } from "bun:test";
import fc from "fast-check";
import { EntriesInOrder } from "./entries-in-order.ts";

const AGES = 40;

type Step = { add: number } | { remove: number } | { page: [limit: number, offset: number] };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ add: fc.nat(AGES) }) },
  { weight: 2, arbitrary: fc.record({ remove: fc.nat(200) }) },
  { weight: 1, arbitrary: fc.record({ page: fc.tuple(fc.nat(30), fc.nat(60)) }) },
);

test("a page is what a stable sort by age gives, whatever came late or left (property)", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 300 }), (steps) => {
      const entries = new EntriesInOrder<{ entry: { since: number; name: string } }>();
      let model: { since: number; name: string }[] = [];
      steps.forEach((did, n) => {
        if ("add" in did) {
          const entry = { since: did.add, name: `e${n}` };
          entries.add(entry.name, { entry });
          model.push(entry);
        } else if ("remove" in did) {
          const gone = model[did.remove % Math.max(1, model.length)]?.name ?? "nobody";
          entries.delete(gone);
          expect(entries.get(gone)).toBeUndefined();
          model = model.filter(({ name }) => name !== gone);
        } else {
          const [limit, offset] = did.page;
          const sorted = model.toSorted((a, b) => a.since - b.since).slice(offset, offset + limit);
          expect(entries.page(limit, offset).map(({ entry }) => entry)).toEqual(sorted);
        }
        expect(entries.size).toBe(model.length);
      });
    }),
    { numRuns: 300 },
  );
});

test("very many late entries are put in order with the others", () => {
  const entries = new EntriesInOrder<{ entry: { since: number } }>();
  for (let n = 0; n < 3_000; n += 1) entries.add(`e${n}`, { entry: { since: 3_000 - n } });
  expect(entries.page(3, 0).map(({ entry }) => entry.since)).toEqual([1, 2, 3]);
  entries.add("later", { entry: { since: 1.5 } });
  expect(entries.page(3, 0).map(({ entry }) => entry.since)).toEqual([1, 1.5, 2]);
  expect(entries.page(10, 2_999).map(({ entry }) => entry.since)).toEqual([2_999, 3_000]);
});
