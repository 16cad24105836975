import { expect, test } from "bun:test";
import type { Clock } from "../../clock.ts";
import { LoopTurns } from "./loop-turns.ts";

const TURN = 128 * 1024;

/** A rest of the loop ends `late` ms late, as this clock tells it. */
function turnsWith({ late }: { late: number }): LoopTurns {
  let now = 0;
  const monotonic = () => {
    now += 2 + late;
    return now;
  };
  return new LoopTurns({ clock: { monotonic } as Clock });
}

/** Runs `act` and returns which of the timers fired before it ended: timers that are due earlier fire earlier. */
async function timersBefore(act: () => Promise<void>, ...dueMs: number[]): Promise<number[]> {
  const fired: number[] = [];
  const timers = dueMs.map((ms) => setTimeout(() => fired.push(ms), ms));
  await act();
  for (const timer of timers) clearTimeout(timer);
  return fired;
}

/** Takes a turn, and waits for the rest after it. */
async function rest(turns: LoopTurns): Promise<void> {
  await turns.take(TURN);
  await turns.take(1);
}

test("the bytes of one turn wait for nothing", async () => {
  const turns = turnsWith({ late: 0 });
  const act = async () => {
    await turns.take(TURN / 2);
    await turns.take(TURN / 2);
  };
  expect(await timersBefore(act, 0)).toEqual([]);
});

test("after a turn, the loop rests until a timer fires; an idle loop then goes on", async () => {
  expect(await timersBefore(() => rest(turnsWith({ late: 0 })), 1, 1_000)).toEqual([1]);
});

test("when others use the loop, it is left to them for longer", async () => {
  expect(await timersBefore(() => rest(turnsWith({ late: 1 })), 1, 6, 1_000)).toEqual([1, 6]);
});

test("all uploads share the turns, in the order in which they ask", async () => {
  const turns = turnsWith({ late: 0 });
  const order: string[] = [];
  const upload = async (name: string) => {
    for (let piece = 0; piece < 3; piece += 1) {
      await turns.take(TURN);
      order.push(name);
    }
  };
  await Promise.all([upload("a"), upload("b"), upload("c")]);
  expect(order.toSorted().join("")).toBe("aaabbbccc");
  expect(order.slice(0, 3)).toEqual(["a", "b", "c"]);
});
