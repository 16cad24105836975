import { afterEach, beforeEach, describe, expect, jest, test } from "bun:test";
import { ParleyError } from "@parley/sdk";
import { retryUntilDone } from "../../src/state/retry.ts";

/** Requests of the page, with a clock that the test moves. */
describe("a retried request", () => {
  let answers: (unknown | null)[];
  let complaints: unknown[];
  let stop: () => void;

  beforeEach(() => {
    jest.useFakeTimers();
    [answers, complaints] = [[], []];
  });
  afterEach(() => {
    stop();
    jest.useRealTimers();
  });

  /** Fails with these errors one after the other; null: succeeds. The last one stays. */
  async function ask(...coming: (unknown | null)[]): Promise<void> {
    answers = coming;
    const act = async () => {
      const answer = answers.shift();
      if (answer !== null) throw answer;
    };
    stop = retryUntilDone(act, (error) => complaints.push(error));
    await pass(0);
  }
  async function pass(ms: number): Promise<void> {
    jest.advanceTimersByTime(ms);
    for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
  }

  test("is repeated until it succeeds, and reports the failure once", async () => {
    const away = new ParleyError("network_error", "Away.");
    const proxy = new ParleyError("invalid_answer", "Status 403 without the body of a Parley server.", { status: 403 });
    const busy = new ParleyError("rate_limited", "Too many.", { status: 429 });
    await ask(away, proxy, busy, new TypeError("Failed to fetch"), null, "never asked for");
    expect(answers).toHaveLength(5);
    await pass(9_999);
    expect(answers).toHaveLength(5);
    await pass(1);
    expect(answers).toHaveLength(4);
    for (let n = 0; n < 6; n += 1) await pass(10_000);
    expect(answers).toEqual(["never asked for"]);
    expect(complaints).toEqual([away]);
  });

  test("is not repeated after a refusal, or when nobody needs it any more", async () => {
    const refusal = new ParleyError("packet_not_found", "No such packet.", { status: 404 });
    await ask(refusal, "never asked for");
    await pass(60_000);
    expect([answers, complaints]).toEqual([["never asked for"], [refusal]]);
    await ask(new Error("away"), "never asked for");
    stop();
    await pass(60_000);
    expect(answers).toEqual(["never asked for"]);
  });
});
