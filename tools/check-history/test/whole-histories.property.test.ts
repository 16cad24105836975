import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { Line, Outcome } from "../lines.ts";
import type { Kind } from "../problems.ts";
import { drawn, Model } from "./model.ts";
import { problemsOf } from "./problems-of.ts";

test("a server that keeps its promises gives no alarm, whatever is under way at the same time", () => {
  fc.assert(
    fc.property(fc.integer(), fc.integer({ min: 0, max: 400 }), (seed, steps) => {
      expect(problemsOf(new Model(seed).run(steps))).toEqual([]);
    }),
    { numRuns: 150 },
  );
});

/** Edits of a good history, each of which breaks a promise. They return false if there is nothing to break. */
const EDITS: readonly [string, Kind, (lines: Line[], draw: (below: number) => number) => boolean][] = [
  ["an acknowledged message is not in the full reads", "stale", dropFromReads],
  ["two messages change their numbers", "moved", swapInReads],
  ["a push is left out", "gap", (lines, draw) => removeOne(lines, draw, isFollowed)],
  ["the end is cut off", "history", (lines) => lines.splice(-3).length === 3],
];

describe.each(EDITS)("%s", (_, kind, edit) => {
  test("is found", () => {
    let edited = 0;
    for (let seed = 0; seed < 40; seed += 1) {
      // The model's lines share their messages.
      const lines: Line[] = JSON.parse(JSON.stringify(new Model(seed).run(300)));
      if (!edit(lines, drawn(seed))) continue;
      edited += 1;
      expect({ seed, kinds: problemsOf(lines) }).toEqual({ seed, kinds: expect.arrayContaining([kind]) });
    }
    expect(edited).toBeGreaterThan(10);
  });
});

const isSeen = (line: Line) => line.type === "see";

/** A push that another one of the same client and channel follows, before it leaves. */
function isFollowed(line: Line, at: number, lines: readonly Line[]): boolean {
  if (line.type !== "see") return false;
  const next = lines
    .slice(at + 1)
    .find((other) => "client" in other && other.client === line.client && isOf(other, line.channel));
  return next !== undefined && isSeen(next);
}

const isOf = (line: Line, channel: number) => line.type === "leave" || ("channel" in line && line.channel === channel);

function removeOne(
  lines: Line[],
  draw: (below: number) => number,
  isRight: (line: Line, at: number, lines: readonly Line[]) => boolean,
): boolean {
  const found = lines.flatMap((line, at) => (isRight(line, at, lines) ? [at] : []));
  const at = found[draw(Math.max(1, found.length))];
  if (at !== undefined) lines.splice(at, 1);
  return at !== undefined;
}

/** The answers of the full read at the end. */
function finals(lines: readonly Line[]): Outcome[] {
  const ops = new Set(lines.flatMap((line) => (line.type === "invoke" && line.final === true ? [line.op] : [])));
  return lines.filter((line): line is Outcome => line.type === "ok" && ops.has(line.op));
}

function dropFromReads(lines: Line[]): boolean {
  let isDropped = false;
  for (const answer of finals(lines)) {
    if (answer.more === true || (answer.messages?.length ?? 0) === 0) continue;
    answer.messages?.pop();
    answer.last_seq = (answer.last_seq ?? 1) - 1;
    isDropped = true;
  }
  const last = lines.findLast((line) => line.type === "ok" && line.seq !== undefined);
  return isDropped && last !== undefined;
}

function swapInReads(lines: Line[]): boolean {
  const acked = new Set(lines.flatMap((line) => (line.type === "ok" && line.seq !== undefined ? [line.id] : [])));
  let isSwapped = false;
  for (const { messages = [] } of finals(lines)) {
    const [first, second] = messages;
    if (first === undefined || second === undefined || !acked.has(first[1])) continue;
    [first[1], first[2], second[1], second[2]] = [second[1], second[2], first[1], first[2]];
    isSwapped = true;
  }
  return isSwapped;
}
