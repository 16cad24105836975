import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import {
  afterAgent,
  blockedFor,
  CLEAR,
  counted,
  type GuardState,
  isTripped,
  perAgentLimit,
  QUIET_MS,
} from "./loop-guard-rules.ts";

/** Lets an agent try `times` messages a second apart; returns the state and how many passed. */
function talk(state: GuardState, agentIds: number[], limit: number, from = 0): { state: GuardState; passed: number[] } {
  const passed: number[] = [];
  let at = from;
  for (const id of agentIds) {
    at += 1_000;
    if (blockedFor(state, id, limit, at) > 0) continue;
    state = afterAgent(state, id, `agent ${id}`, at);
    passed.push(id);
  }
  return { state, passed };
}

const alternate = (count: number) => Array.from({ length: count }, (_, i) => (i % 2) + 1);

describe("loop guard", () => {
  test("stops two alternating agents at the limit, after half of it each", () => {
    const { state, passed } = talk(CLEAR, alternate(50), 30);
    expect(passed).toEqual(alternate(30));
    expect(state.consecutive).toBe(30);
    expect(isTripped(state, 30, state.lastAt)).toBe(true);
  });

  test("never stops one agent that speaks alone, and counts its monologue as one turn", () => {
    const { state, passed } = talk(CLEAR, Array<number>(100).fill(1), 30);
    expect(passed).toHaveLength(100);
    expect(counted(state, state.lastAt)).toBe(CLEAR);
    expect(talk(state, [2], 30, state.lastAt).state.consecutive).toBe(2);
  });

  test("limits each agent to half of the turns", () => {
    const { passed } = talk(CLEAR, [2, ...Array<number>(40).fill(1)], 30);
    expect(passed.filter((id) => id === 1)).toHaveLength(15);
    expect(talk(CLEAR, [2, ...Array<number>(15).fill(1), 2, 3], 30).passed.slice(-2)).toEqual([2, 3]);
  });

  test("is cleared by ten quiet minutes, and reports how much of them is left", () => {
    const { state } = talk(CLEAR, alternate(30), 30);
    expect(blockedFor(state, 1, 30, state.lastAt + 60_000)).toBe(QUIET_MS - 60_000);
    expect(blockedFor(state, 1, 30, state.lastAt + QUIET_MS)).toBe(0);
    expect(afterAgent(state, 1, "one", state.lastAt + QUIET_MS).consecutive).toBe(1);
  });

  test("is off at 0", () => {
    expect(talk(CLEAR, alternate(200), 0).passed).toHaveLength(200);
    expect(isTripped(talk(CLEAR, alternate(200), 0).state, 0, 200_000)).toBe(false);
  });

  const talks = fc.record({
    limit: fc.integer({ min: 2, max: 40 }),
    ids: fc.array(fc.integer({ min: 1, max: 4 }), { maxLength: 150 }),
  });

  test("passes no more than the limit once two agents have spoken, and no agent more than its share (property)", () => {
    fc.assert(
      fc.property(talks, ({ limit, ids }) => {
        const { passed } = talk(CLEAR, ids, limit);
        const second = passed.findIndex((id) => id !== passed[0]);
        if (second === -1) return;
        // The monologue before the second speaker is one turn.
        const counting = passed.slice(second - 1);
        expect(counting.length).toBeLessThanOrEqual(limit);
        for (const id of new Set(counting)) {
          expect(counting.filter((other) => other === id).length).toBeLessThanOrEqual(perAgentLimit(limit));
        }
      }),
    );
  });

  test("counts exactly the turns of all agents and blocks an agent until a clear (property)", () => {
    fc.assert(
      fc.property(
        talks,
        fc.integer({ min: 1, max: 4 }),
        fc.integer({ min: 0, max: QUIET_MS - 1 }),
        ({ limit, ids }, id, later) => {
          const { state } = talk(CLEAR, ids, limit);
          const sum = [...state.agents.values()].reduce((total, { count }) => total + count, 0);
          expect(sum).toBe(state.consecutive);
          if (blockedFor(state, id, limit, state.lastAt) > 0) {
            expect(blockedFor(state, id, limit, state.lastAt + later)).toBe(QUIET_MS - later);
            expect(isTripped(state, limit, state.lastAt)).toBe(true);
          }
          expect(blockedFor(CLEAR, id, limit, state.lastAt)).toBe(0);
        },
      ),
    );
  });
});
