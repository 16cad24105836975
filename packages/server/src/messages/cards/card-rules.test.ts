import { expect, test } from "bun:test";
import type { InteractionKind } from "@parley/protocol/cards";
import { lastOfEach, outcomeOf, type Press } from "./card-rules.ts";

/** Numbers that are the same in every run. */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state % below;
  };
}

/** Replays presses as the service does: those after the end change nothing. */
function run(kind: InteractionKind, quorum: number, presses: readonly Press[]) {
  const counted: Press[] = [];
  let decided: Press | null = null;
  for (const press of presses) {
    const isSame = counted.some(({ userId, action }) => userId === press.userId && action === press.action);
    if (decided !== null || isSame) continue;
    counted.push(press);
    if (outcomeOf(kind, quorum, counted) === "decided") decided = press;
  }
  return { counted, decided };
}

test("2,000 random runs of presses keep the rules of the three kinds", () => {
  for (let seed = 1; seed <= 2_000; seed += 1) {
    const below = numbers(seed);
    const quorum = 1 + below(4);
    const presses = Array.from({ length: below(12) }, (_, id) => ({
      id,
      userId: below(4),
      action: below(5) === 0 ? "deny" : "approve",
    }));
    const approval = run("approval", quorum, presses);
    const approvers = new Set(
      approval.counted.filter(({ action }) => action === "approve").map(({ userId }) => userId),
    );
    const denials = approval.counted.filter(({ action }) => action === "deny");
    // A denial always decides, and nothing is counted after it.
    expect(denials.length).toBe(approval.decided?.action === "deny" ? 1 : 0);
    expect(approvers.size >= quorum).toBe(approval.decided?.action === "approve");
    if (approval.decided === null) {
      expect(presses.some(({ action }) => action === "deny")).toBe(false);
      expect(new Set(presses.map(({ userId }) => userId)).size).toBeLessThan(quorum);
    }
    expect(run("choice", 1, presses).decided).toEqual(presses[0] ?? null);
    expect(run("open", 1, presses).decided).toBeNull();
    const last = lastOfEach(approval.counted);
    expect(new Set(last.map(({ userId }) => userId)).size).toBe(last.length);
    expect(last.at(-1)).toEqual(approval.counted.at(-1));
  }
});

test("the vote of an erased account does not count, and votes of several stay apart", () => {
  const gone = { id: 1, userId: null, action: "approve" };
  const here = { id: 2, userId: 7, action: "approve" };
  expect(outcomeOf("approval", 2, [gone, here])).toBe("noted");
  expect(lastOfEach([gone, { ...gone, id: 3 }, here])).toHaveLength(3);
});
