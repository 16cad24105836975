import { expect, spyOn, test } from "bun:test";
import { Listeners } from "./listeners.ts";

test("a listener that throws or rejects reaches onError, and the others are called", async () => {
  const errors: unknown[] = [];
  const seen: number[] = [];
  const listeners = new Listeners<number>((error) => errors.push(error));
  listeners.add(() => {
    throw new Error("thrown");
  });
  listeners.add(async () => {
    throw new Error("rejected");
  });
  listeners.add((value) => seen.push(value));
  listeners.emit(7);
  await Promise.resolve();
  expect(seen).toEqual([7]);
  expect(errors.map(String)).toEqual(["Error: thrown", "Error: rejected"]);
});

test("without onError, and if onError itself fails, the error is logged", async () => {
  using log = spyOn(console, "error").mockImplementation(() => {});
  const fail = () => {
    throw new Error("of the listener");
  };
  for (const onError of [
    undefined,
    () => {
      throw new Error("of onError");
    },
    () => Promise.reject(new Error("of an async onError")),
  ]) {
    const listeners = new Listeners<null>(onError);
    listeners.add(fail);
    listeners.emit(null);
  }
  await new Promise((resolve) => setTimeout(resolve));
  const texts = log.mock.calls.map(([, error]) => String(error));
  expect(texts).toEqual(["Error: of the listener", "Error: of onError", "Error: of an async onError"]);
});
