import { expect, test } from "bun:test";
import { Slots } from "./slots.ts";

/** An act that runs until it is told to end. */
function act() {
  const { promise, resolve } = Promise.withResolvers<void>();
  const made = {
    running: false,
    end: resolve,
    run: async () => {
      made.running = true;
      await promise;
      made.running = false;
      return "done";
    },
  };
  return made;
}

const turns = async () => {
  for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
};

test("acts of one key wait for each other, and later ones of other keys pass them", async () => {
  const slots = new Slots({ total: 3, perKey: 1, waiting: 10 });
  const [first, second, other] = [act(), act(), act()];
  const results = [slots.run(["a"], first.run), slots.run(["a"], second.run), slots.run(["b"], other.run)];
  await turns();
  expect([first.running, second.running, other.running]).toEqual([true, false, true]);
  first.end();
  await turns();
  expect(second.running).toBeTrue();
  second.end();
  other.end();
  expect(await Promise.all(results)).toEqual(["done", "done", "done"]);
});

test("no more run than in all are allowed, and beyond the queue acts are refused without being run", async () => {
  const slots = new Slots({ total: 2, perKey: 2, waiting: 1 });
  const acts = [act(), act(), act(), act()];
  const results = acts.map((each, at) => slots.run([`${at}`], each.run));
  await turns();
  expect(acts.map(({ running }) => running)).toEqual([true, true, false, false]);
  expect(await results[3]).toBeUndefined();
  for (const each of acts) each.end();
  expect(await Promise.all(results)).toEqual(["done", "done", "done", undefined]);
  expect(await slots.run(["x"], async () => "free")).toBe("free");
});

test("an act that fails gives its slot back", async () => {
  const slots = new Slots({ total: 1, perKey: 1, waiting: 1 });
  await expect(slots.run(["a"], () => Promise.reject(new Error("no")))).rejects.toThrow("no");
  expect(await slots.run(["a"], async () => "next")).toBe("next");
});
