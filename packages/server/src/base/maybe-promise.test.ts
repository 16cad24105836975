import { expect, test } from "bun:test";
import { atOnce } from "./maybe-promise.ts";

test("atOnce returns an immediate value, and a promise that nobody awaits may fail", async () => {
  expect([atOnce(1), atOnce(null), atOnce(Promise.resolve(1))]).toEqual([1, null, undefined]);
  const failing = Promise.reject(new Error("later"));
  expect(atOnce(failing)).toBeUndefined();
  // Unhandled, the rejection would fail this test; callers that await it still get it.
  await new Promise(setImmediate);
  await expect(failing).rejects.toThrow("later");
});
