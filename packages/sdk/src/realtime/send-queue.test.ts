import { expect, jest, test } from "bun:test";
import { SendQueue } from "./send-queue.ts";

test("sends frames in order and never more than the rate limit allows in any window", () => {
  jest.useFakeTimers();
  try {
    const sent: string[] = [];
    const queue = new SendQueue({ frames: 3, windowMs: 1_000 }, (frame) => sent.push(frame));
    for (let n = 1; n <= 7; n++) queue.push(String(n));
    expect(sent).toEqual(["1", "2", "3"]);
    jest.advanceTimersByTime(999);
    expect(sent).toHaveLength(3);
    jest.advanceTimersByTime(2);
    expect(sent).toEqual(["1", "2", "3", "4", "5", "6"]);
    queue.stop();
    jest.advanceTimersByTime(5_000);
    expect(sent).toHaveLength(6);
  } finally {
    jest.useRealTimers();
  }
});
