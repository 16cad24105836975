import { expect, test } from "bun:test";
import { stillClock } from "../../../test/support/clock.ts";
import { DecoderQueue } from "./decoder-queue.ts";

/** Returns an act that takes that long, and notes when it ran. */
function acts() {
  const clock = stillClock();
  const queue = new DecoderQueue(clock);
  const order: string[] = [];
  const decode = (account: string, ms = 4_800) =>
    queue.run(account, async () => {
      order.push(account);
      await Promise.resolve();
      clock.advance(ms);
    });
  return { clock, order, decode };
}

test("an account with many pictures delays another by one picture", async () => {
  const { order, decode } = acts();
  await Promise.all([decode("a"), decode("a"), decode("a"), decode("b"), decode("c"), decode("b")]);
  expect(order).toEqual(["a", "b", "c", "a", "b", "a"]);
});

test("an account that has used up its budget is refused until it has earned some", async () => {
  const { clock, decode } = acts();
  for (let n = 0; n < 16; n++) await decode("a").catch(() => {});
  const error = await decode("a").catch((error) => error);
  expect([error.code, error.retryAfter]).toEqual(["rate_limited", expect.any(Number)]);
  await decode("b");
  clock.advance(error.retryAfter * 1_000);
  await decode("a");
});

test("refuses a crowd, and a failed picture passes the decoder on", async () => {
  const { order, decode } = acts();
  const clock = stillClock();
  const queue = new DecoderQueue(clock);
  const failed = queue.run("a", () => Promise.reject(new Error("killed")));
  const crowd = Array.from({ length: 33 }, (_, n) => queue.run(`c${n}`, async () => order.push(`c${n}`)));
  const outcomes = await Promise.allSettled([failed, ...crowd]);
  expect(outcomes.filter(({ status }) => status === "rejected")).toHaveLength(2);
  expect(outcomes[33]).toMatchObject({ reason: { code: "overloaded" } });
  await decode("a");
  expect(order).toHaveLength(33);
});
