import { expect, test } from "bun:test";
import fc from "fast-check";
import { halves, type Span, seqsIn } from "./span.ts";

const seqsOf = (spans: readonly Span[]): string[] =>
  spans.flatMap(({ channelId, after, upTo }) =>
    Array.from({ length: upTo - after }, (_, at) => `${channelId}:${after + 1 + at}`),
  );

const someSpans = fc.array(
  fc.record({ channelId: fc.nat(5), after: fc.nat(9), length: fc.integer({ min: 1, max: 9 }) }),
);

test("the halves of spans have all seqs in order, and differ by one at most", () => {
  fc.assert(
    fc.property(someSpans, (some) => {
      const spans = some.map(({ channelId, after, length }) => ({ channelId, after, upTo: after + length }));
      const [first, second] = halves(spans);
      expect([...seqsOf(first), ...seqsOf(second)]).toEqual(seqsOf(spans));
      expect([0, 1]).toContain(seqsIn(second) - seqsIn(first));
      for (const part of [...first, ...second]) expect(part.upTo).toBeGreaterThan(part.after);
    }),
  );
});
