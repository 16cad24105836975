import { expect, test } from "bun:test";
import { valueIfReady } from "./maybe-promise.ts";

test("valueIfReady returns an immediate value, and a promise that nobody awaits may fail", async () => {
  expect([valueIfReady(1), valueIfReady(null), valueIfReady(Promise.resolve(1))]).toEqual([1, null, undefined]);
  const failing = Promise.reject(new Error("later"));
  expect(valueIfReady(failing)).toBeUndefined();
  // Unhandled, the rejection would fail this test; callers that await it still get it.
  await new Promise(setImmediate);
  await expect(failing).rejects.toThrow("later");
});
