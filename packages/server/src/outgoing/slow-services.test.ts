import { expect, test } from "bun:test";
import { SlowServices } from "./slow-services.ts";

/** Notes requests of these durations, in milliseconds. */
async function after(...durations: number[]): Promise<SlowServices> {
  let now = 0;
  const services = new SlowServices({ monotonic: () => now });
  for (const ms of durations) {
    await services.watch(["service"], async () => {
      now += ms;
    });
  }
  return services;
}

test("a service that is slow three times in a row is failing, and one fast answer ends that", async () => {
  expect((await after(9_000, 9_000)).isFailing("service")).toBeFalse();
  expect((await after(9_000, 9_000, 9_000)).isFailing("service")).toBeTrue();
  expect((await after(9_000, 9_000, 9_000)).isFailing("another")).toBeFalse();
  expect((await after(9_000, 9_000, 100, 9_000)).isFailing("service")).toBeFalse();
  expect((await after(9_000, 9_000, 9_000, 9_000, 100)).isFailing("service")).toBeFalse();
});

test("a request that fails slowly counts as slow", async () => {
  let now = 0;
  const services = new SlowServices({ monotonic: () => now });
  for (let n = 0; n < 3; n += 1) {
    const request = services.watch(["service"], async () => {
      now += 9_000;
      throw new Error("no answer");
    });
    await expect(request).rejects.toThrow("no answer");
  }
  expect(services.isFailing("service")).toBeTrue();
});
