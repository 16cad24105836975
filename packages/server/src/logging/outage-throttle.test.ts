import { expect, test } from "bun:test";
import { createLog } from "./log.ts";
import { sparingLog } from "./outage-throttle.ts";

test("repeated errors of an outage are logged at debug level without a stack, everything else unchanged", () => {
  const lines: Record<string, unknown>[] = [];
  const whole = createLog({ level: "debug", readable: false, write: (line) => lines.push(JSON.parse(line)) });
  const log = sparingLog(whole, (error) => !(error instanceof RangeError));
  log.warn({ err: new RangeError("again"), requestId: "r1" }, "refused");
  log.error({ err: new TypeError("new") }, "failed");
  log.warn({ wallet: "w" }, "low");
  log.error("bare");
  log.info({ err: new RangeError("told") }, "as it is");
  expect(lines.map(({ level, msg, reason }) => [level, msg, reason])).toEqual([
    ["debug", "refused", "RangeError: again"],
    ["error", "failed", undefined],
    ["warn", "low", undefined],
    ["error", "bare", undefined],
    ["info", "as it is", undefined],
  ]);
  expect([lines[0]?.err, lines[0]?.requestId]).toEqual([undefined, "r1"]);
});
