import { expect, test } from "bun:test";
import type { AppContext } from "../../context.ts";
import { inPictureTurn } from "./picture-queue.ts";

function start() {
  const lengths: number[] = [];
  const ctx = { slots: new Map(), metrics: { pictureQueueIs: (length: number) => lengths.push(length) } };
  const begun: number[] = [];
  const ends: (() => void)[] = [];
  /** Resolves with the user's number, or with the error code. */
  const decode = (user: number): Promise<number | string> => {
    const act = () =>
      new Promise<number>((resolve) => {
        begun.push(user);
        ends.push(() => resolve(user));
      });
    return inPictureTurn(Object.assign(ctx, { root: ctx }) as unknown as AppContext, user, act).catch(
      (error) => error.code,
    );
  };
  return { decode, begun, ends, lengths };
}

test("one picture is decoded at a time, in order of arrival", async () => {
  const { decode, begun, ends, lengths } = start();
  const all = [1, 2, 3].map(decode);
  expect(begun).toEqual([1]);
  for (const [at, done] of all.entries()) {
    ends[at]?.();
    expect(await done).toBe(at + 1);
  }
  expect(begun).toEqual([1, 2, 3]);
  expect(Math.max(...lengths)).toBe(3);
  expect(lengths.at(-1)).toBe(0);
});

test("an account has one picture in the queue, so other accounts wait for only one of it", async () => {
  const { decode, begun, ends } = start();
  const [first, second, other] = [decode(1), decode(1), decode(2)];
  expect(await second).toBe("rate_limited");
  ends[0]?.();
  expect(await first).toBe(1);
  expect(begun).toEqual([1, 2]);
  ends[1]?.();
  expect(await other).toBe(2);
  const again = decode(1);
  ends[2]?.();
  expect(await again).toBe(1);
});

test("a picture is refused when many are waiting", async () => {
  const { decode, ends } = start();
  const all = Array.from({ length: 17 }, (_, user) => decode(user));
  expect(await decode(100)).toBe("overloaded");
  for (const [at, done] of all.entries()) {
    ends[at]?.();
    expect(await done).toBe(at);
  }
});
