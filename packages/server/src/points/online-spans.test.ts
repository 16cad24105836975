import { expect, test } from "bun:test";
import fc from "fast-check";
import { OnlineSpans } from "./online-spans.ts";

test("a span of online time continues after a part is written, and is removed when it has ended", () => {
  const spans = new OnlineSpans();
  spans.begin(1, 10, 0);
  spans.begin(1, 20, 0);
  const first = spans.piecesOf(1, 50);
  expect(first.map(({ from, until }) => [from, until])).toEqual([[10, 50]]);
  spans.end(1, 60);
  spans.settle(first);
  expect(spans.piecesOf(1, 99).map(({ from, until }) => [from, until])).toEqual([[50, 60]]);
  spans.begin(1, 70, 0);
  const rest = spans.piecesOf(1, 99);
  expect(rest.map(({ from, until }) => [from, until])).toEqual([
    [50, 60],
    [70, 99],
  ]);
  spans.end(1, 99);
  expect(spans.users()).toEqual([1]);
  spans.settle(rest);
  expect(spans.users()).toEqual([]);
  spans.end(2, 5);
  expect(spans.users()).toEqual([]);
});

test("the written parts sum to the time online, whatever writes fail (property)", () => {
  const step = fc.record({
    wait: fc.nat(1_000),
    act: fc.constantFrom("begin", "end", "write", "fail", "write while it ends"),
    user: fc.integer({ min: 1, max: 3 }),
  });
  fc.assert(
    fc.property(fc.array(step), (steps) => {
      const spans = new OnlineSpans();
      const since = new Map<number, number>();
      const expected = new Map<number, number>();
      const written = new Map<number, number>();
      let now = 0;
      const end = (user: number) => {
        const from = since.get(user);
        if (from !== undefined) expected.set(user, (expected.get(user) ?? 0) + now - from);
        since.delete(user);
        spans.end(user, now);
      };
      const write = (meanwhile: () => void = () => {}) => {
        const pieces = spans.users().flatMap((user) => spans.piecesOf(user, now));
        meanwhile();
        spans.settle(pieces);
        for (const { span, from, until } of pieces)
          written.set(span.userId, (written.get(span.userId) ?? 0) + until - from);
      };
      for (const { wait, act, user } of steps) {
        now += wait;
        if (act === "begin") {
          if (!since.has(user)) since.set(user, now);
          spans.begin(user, now, 0);
        } else if (act === "end") end(user);
        else if (act === "write") write();
        else if (act === "fail") spans.piecesOf(user, now);
        else
          write(() => {
            now += 7;
            end(user);
          });
      }
      for (const user of [1, 2, 3]) end(user);
      write();
      for (const user of [1, 2, 3]) expect(written.get(user) ?? 0).toBe(expected.get(user) ?? 0);
      expect(spans.users()).toEqual([]);
    }),
  );
});
