import { expect, test } from "bun:test";
import fc from "fast-check";
import type { BrokerMessage } from "../../realtime/broker/broker.ts";
import { EarlyFrames } from "./early-frames.ts";

const durable = (seq: number): BrokerMessage => ({ event: "message:new", frame: `${seq}`, seq });
const typing = (name: string): BrokerMessage => ({ event: "typing", frame: name });

/** Passes messages on as a feed does, and returns the frames in the order of their delivery. */
function deliver(arriving: readonly BrokerMessage[]): string[] {
  const early = new EarlyFrames();
  const passed: string[] = [];
  let lastSeq = 0;
  for (const message of arriving) {
    if (message.seq === undefined || message.seq > lastSeq) early.add(message);
    for (const { seq, frame } of early.release(lastSeq)) {
      lastSeq = seq ?? lastSeq;
      passed.push(frame);
    }
  }
  expect(early.isEmpty).toBe(true);
  return passed;
}

test("in whatever order frames arrive, and however often, they are delivered once and in order", () => {
  const arrivals = fc.integer({ min: 1, max: 60 }).chain((count) => {
    const all = Array.from({ length: count }, (_, n) => n + 1);
    const repeats = fc.array(fc.integer({ min: 1, max: count }), { maxLength: 40 });
    return repeats.chain((more) => fc.shuffledSubarray([...all, ...more], { minLength: count + more.length }));
  });
  fc.assert(
    fc.property(arrivals, (seqs) => {
      const count = Math.max(...seqs);
      expect(deliver(seqs.map(durable)).map(Number)).toEqual(Array.from({ length: count }, (_, n) => n + 1));
    }),
    { numRuns: 500 },
  );
});

test("an ephemeral frame follows every durable one that arrived before it", () => {
  const arriving = fc.integer({ min: 1, max: 30 }).chain((count) =>
    fc.tuple(
      fc.shuffledSubarray(
        Array.from({ length: count }, (_, n) => n + 1),
        { minLength: count },
      ),
      fc.array(fc.integer({ min: 0, max: count }), { maxLength: 10 }),
    ),
  );
  fc.assert(
    fc.property(arriving, ([seqs, places]) => {
      const sorted = places.toSorted((a, b) => a - b);
      const typingAt = (at: number) => sorted.flatMap((place, n) => (place === at ? [typing(`t${n}`)] : []));
      const all = [...seqs.flatMap((seq, at) => [...typingAt(at), durable(seq)]), ...typingAt(seqs.length)];
      const passed = deliver(all);
      sorted.forEach((place, n) => {
        const position = passed.indexOf(`t${n}`);
        for (const seq of seqs.slice(0, place)) expect(passed.indexOf(`${seq}`)).toBeLessThan(position);
      });
      expect(passed).toHaveLength(all.length);
    }),
    { numRuns: 300 },
  );
});

test("early frames that were delivered in another way are forgotten", () => {
  const early = new EarlyFrames();
  for (const seq of [5, 6, 9]) early.add(durable(seq));
  early.add(typing("ann"));
  expect(early.release(6)).toEqual([]);
  expect(early.size).toBe(2);
  expect(early.release(8).map(({ frame }) => frame)).toEqual(["9", "ann"]);
  expect(early.isEmpty).toBe(true);
});
