import { expect, test } from "bun:test";
import { code } from "../../test/support/actors.ts";
import { stillClock } from "../../test/support/clock.ts";
import { BatchLanes } from "./batch-lanes.ts";

const turn = () => new Promise(setImmediate);

/** Two lanes, keyed by the first letter; a batch that begins with an `x` ends when the test lets it. */
function twoLanes(limits: { queueMax?: number; queueBytes?: number } = {}) {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const clock = stillClock();
  const committed: string[] = [];
  const ctx = { storageError: () => undefined, clock } as const;
  const lanes = new BatchLanes<string, string>(ctx, {
    lanes: 2,
    keyOf: (draft) => draft.codePointAt(0) ?? 0,
    bytesOf: (draft) => draft.length,
    ...limits,
    commit: async (drafts) => {
      if (drafts[0]?.startsWith("x")) await released;
      committed.push(drafts.join(" "));
      return drafts.map((draft) => draft.toUpperCase());
    },
  });
  return { lanes, clock, committed, release };
}

test("as long as no batch is slow, all drafts share one lane", async () => {
  const { lanes, committed } = twoLanes();
  await Promise.all([lanes.add("a"), lanes.add("b"), lanes.add("c")]);
  expect(committed).toEqual(["a b c"]);
});

test("a slow batch delays no other key, and the order of its own keys is kept", async () => {
  const { lanes, clock, committed, release } = twoLanes();
  const slow = [lanes.add("x1"), lanes.add("z1")];
  await turn();
  const together = lanes.add("y1");
  clock.advance(10);
  const behind = [lanes.add("x2"), lanes.add("z2"), lanes.add("y2")];
  expect(await lanes.add("a")).toBe("A");
  expect(committed).toEqual(["a"]);
  release();
  expect(await Promise.all([...slow, together, ...behind])).toEqual(["X1", "Z1", "Y1", "X2", "Z2", "Y2"]);
  expect(committed).toEqual(["a", "x1 z1", "y1 x2 z2 y2"]);
  await lanes.add("z3");
  expect(committed.at(-1)).toBe("z3");
});

test("all lanes share the limits of one queue", async () => {
  const { lanes, release } = twoLanes({ queueMax: 3 });
  const added = [lanes.add("x"), lanes.add("y"), lanes.add("y")];
  expect(() => lanes.add("x")).toThrow(code("overloaded"));
  release();
  await Promise.all(added);
  const full = twoLanes({ queueBytes: 10 });
  const long = full.lanes.add("y".repeat(10));
  expect(() => full.lanes.add("x")).toThrow(code("overloaded"));
  await long;
  expect(await full.lanes.add("y")).toBe("Y");
});

test("settled() resolves when the drafts of every lane are answered, including new ones", async () => {
  const { lanes, clock, committed, release } = twoLanes();
  await lanes.settled();
  const first = lanes.add("x").then(() => lanes.add("y"));
  await turn();
  clock.advance(10);
  const other = lanes.add("a");
  setImmediate(release);
  await lanes.settled();
  expect(committed.toSorted()).toEqual(["a", "x", "y"]);
  await Promise.all([first, other]);
});
