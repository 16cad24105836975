import { expect, test } from "bun:test";
import { LoadingCache } from "./loading-cache.ts";

test("concurrent requests share one read, and later ones are answered without a promise", async () => {
  const cache = new LoadingCache<string, number | null>(10);
  const source = Promise.withResolvers<number>();
  let reads = 0;
  const read = () => {
    reads += 1;
    return source.promise;
  };
  const both = [cache.load("a", read), cache.load("a", read)];
  source.resolve(7);
  expect(await Promise.all(both)).toEqual([7, 7]);
  expect(reads).toBe(1);
  expect(cache.get("a")).toBe(7);
});

test("null is cached too, unless the reader says otherwise", async () => {
  const cache = new LoadingCache<string, number | null>(10);
  await cache.load("kept", async () => null);
  await cache.load(
    "refused",
    async () => null,
    (value) => value !== null,
  );
  expect(cache.get("kept")).toBeNull();
  expect(cache.get("refused")).toBeUndefined();
});

test("an entry that is invalidated during its read is not cached, and later requests read again", async () => {
  const cache = new LoadingCache<string, string>(10);
  const stale = Promise.withResolvers<string>();
  const fresh = Promise.withResolvers<string>();
  const before = cache.load("a", () => stale.promise);
  cache.forget("a");
  const after = cache.load("a", () => fresh.promise);
  fresh.resolve("new");
  expect(await after).toBe("new");
  stale.resolve("old");
  expect(await before).toBe("old");
  expect(cache.get("a")).toBe("new");
});

test("a failed read is tried again", async () => {
  const cache = new LoadingCache<string, string>(10);
  const failed = cache.load("a", () => Promise.reject(new Error("away")));
  expect(failed).rejects.toThrow("away");
  await failed.catch(() => {});
  expect(await cache.load("a", async () => "back")).toBe("back");
});

test("the cache is bounded and drops the least recently used entry", async () => {
  const cache = new LoadingCache<number, number>(3);
  for (const key of [1, 2, 3]) cache.set(key, key);
  expect(cache.get(1)).toBe(1);
  cache.set(4, 4);
  expect(cache.size).toBe(3);
  expect(cache.get(2)).toBeUndefined();
  expect([1, 3, 4].map((key) => cache.get(key))).toEqual([1, 3, 4]);
});

test("matching keys are forgotten, also those that are being loaded", async () => {
  const cache = new LoadingCache<string, number>(10);
  for (const [key, value] of [
    ["1:a", 1],
    ["1:b", 2],
    ["11:a", 3],
  ] as const)
    cache.set(key, value);
  const source = Promise.withResolvers<number>();
  const loading = cache.load("1:c", () => source.promise);
  cache.forgetWhere((key) => key.startsWith("1:"));
  source.resolve(4);
  expect(await loading).toBe(4);
  expect(["1:a", "1:b", "1:c", "11:a"].map((key) => cache.get(key))).toEqual([undefined, undefined, undefined, 3]);
});
