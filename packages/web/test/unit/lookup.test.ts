import { expect, jest, test } from "bun:test";
import { eventually } from "../../../server/test/support/servers/test-server.ts";
import { Lookup } from "../../src/state/lookup.ts";

/** A lookup whose responses the test gives. */
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

test("many keys are one request, each is requested once, and keys missing from the response are null", async () => {
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
  // Two components show the first key.
  expect(changes).toBe(4);
  lookup.watch(1, () => {});
  lookup.watch(4, () => {});
  second.answer([[4, "four"]]);
  await eventually("that too", () => lookup.get(4) === "four");
  expect(questions.length).toBe(2);
});

test("a value that is put is newer than a pending response and needs no request", async () => {
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

test("after possibly missed changes only visible keys are requested again, and keep their values until then", async () => {
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
  // A second disconnect while the request runs: its response no longer counts.
  lookup.refresh();
  const third = await question(3);
  second.answer([[2, "stale"]]);
  third.answer([[2, "fresh"]]);
  await eventually("it is the newer answer", () => lookup.get(2) === "fresh");
});

test("a failed request is repeated after the next connection", async () => {
  const { lookup, question } = asked();
  lookup.watch(1, () => {});
  (await question(1)).fail();
  lookup.refresh();
  (await question(2)).fail();
  // Until then the key counts as never requested.
  await eventually("it is not taken for nothing", () => lookup.get(1) === undefined);
  lookup.refresh();
  (await question(3)).answer([[1, "one"]]);
  await eventually("now it is known", () => lookup.get(1) === "one");
});

test("retrying what failed leaves the rest unchanged", async () => {
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

test("a failed key is requested again after a while, also if an older value is known", async () => {
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
    // A component that shows it again gets the known value and causes a request.
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
