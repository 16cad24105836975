import { expect, jest, test } from "bun:test";
import { eventually } from "../../../server/test/support/servers/test-server.ts";
import { Lookup } from "../../src/state/lookup.ts";

/** A lookup whose answers the test gives. */
function asked(most = 3) {
  const questions: { keys: readonly number[]; answer(values: [number, string][]): void; fail(): void }[] = [];
  const lookup = new Lookup<number, string>({
    maxKeys: most,
    fetch: (keys) =>
      new Promise((resolve, reject) => {
        questions.push({ keys, answer: (values) => resolve(new Map(values)), fail: () => reject(new Error("away")) });
      }),
  });
  const question = (n: number) => eventually(`question ${n}`, () => questions[n - 1]);
  return { lookup, questions, question };
}

test("many keys are one question, each is asked once; what is left out of the answer is nothing", async () => {
  const { lookup, questions, question } = asked();
  let changes = 0;
  for (const key of [1, 2, 1, 3, 4]) lookup.watch(key, () => (changes += 1));
  const [first, second] = [await question(1), await question(2)];
  expect([first.keys, second.keys]).toEqual([[1, 2, 3], [4]]);
  expect(lookup.get(1)).toBeUndefined();
  first.answer([
    [1, "one"],
    [3, "three"],
  ]);
  await eventually("it is known", () => lookup.get(1) === "one");
  expect([lookup.get(2), lookup.get(3), lookup.get(4)]).toEqual([null, "three", undefined]);
  // Two look at the first.
  expect(changes).toBe(4);
  lookup.watch(1, () => {});
  lookup.watch(4, () => {});
  second.answer([[4, "four"]]);
  await eventually("that too", () => lookup.get(4) === "four");
  expect(questions.length).toBe(2);
});

test("what is put is newer than an answer that was on its way, and needs no question", async () => {
  const { lookup, questions, question } = asked();
  lookup.watch(1, () => {});
  const first = await question(1);
  lookup.put(1, "new");
  lookup.watch(2, () => {});
  lookup.put(2, "told");
  first.answer([[1, "old"]]);
  lookup.watch(3, () => {});
  expect((await question(2)).keys).toEqual([3]);
  expect([lookup.get(1), lookup.get(2)]).toEqual(["new", "told"]);
  expect(questions.length).toBe(2);
});

test("after changes that may have been missed only what is looked at is asked anew, and stays until then", async () => {
  const { lookup, question } = asked();
  const stop = lookup.watch(1, () => {});
  lookup.watch(2, () => {});
  (await question(1)).answer([
    [1, "one"],
    [2, "two"],
  ]);
  await eventually("both are known", () => lookup.get(2) === "two");
  stop();
  lookup.refresh();
  expect([lookup.get(1), lookup.get(2)]).toEqual([undefined, "two"]);
  const second = await question(2);
  expect(second.keys).toEqual([2]);
  // A second break, while that is asked: its answer counts no more.
  lookup.refresh();
  const third = await question(3);
  second.answer([[2, "stale"]]);
  third.answer([[2, "fresh"]]);
  await eventually("it is the newer answer", () => lookup.get(2) === "fresh");
});

test("a question that failed is asked again after the next connection", async () => {
  const { lookup, question } = asked();
  lookup.watch(1, () => {});
  (await question(1)).fail();
  lookup.refresh();
  (await question(2)).fail();
  // Until then it is as if nobody had asked.
  await eventually("it is not taken for nothing", () => lookup.get(1) === undefined);
  lookup.refresh();
  (await question(3)).answer([[1, "one"]]);
  await eventually("now it is known", () => lookup.get(1) === "one");
});

test("who only asks for what could not be had leaves the rest as it is", async () => {
  const { lookup, questions, question } = asked();
  lookup.watch(1, () => {});
  (await question(1)).answer([[1, "one"]]);
  lookup.watch(2, () => {});
  (await question(2)).fail();
  await eventually("it has failed, and is asked again", () => {
    lookup.retry();
    return questions[2];
  });
  expect((await question(3)).keys).toEqual([2]);
  (await question(3)).answer([[2, "two"]]);
  await eventually("now it is known", () => lookup.get(2) === "two");
  lookup.retry();
  lookup.watch(3, () => {});
  expect((await question(4)).keys).toEqual([3]);
});

test("what could not be had is asked again after a while, also when something older is known", async () => {
  jest.useFakeTimers();
  try {
    const asked: (readonly number[])[] = [];
    let values: Map<number, string> | null = new Map([[1, "one"]]);
    const ask = async (keys: readonly number[]) => {
      asked.push(keys);
      if (values === null) throw new Error("away");
      return values;
    };
    const lookup = new Lookup<number, string>({ maxKeys: 3, fetch: ask });
    const pass = async (ms: number) => {
      jest.advanceTimersByTime(ms);
      for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
    };
    const leave = lookup.watch(1, () => {});
    await pass(20);
    values = null;
    lookup.refresh();
    await pass(20);
    // Who comes to it again looks at what is known, and asks.
    leave();
    lookup.watch(1, () => {});
    await pass(20);
    expect(lookup.get(1)).toBe("one");
    expect(asked).toHaveLength(3);
    values = new Map([[1, "new"]]);
    await pass(10_000);
    await pass(20);
    expect(lookup.get(1)).toBe("new");
    await pass(60_000);
    expect(asked).toHaveLength(4);
  } finally {
    jest.useRealTimers();
  }
});
