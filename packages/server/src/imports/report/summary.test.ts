import { expect, test } from "bun:test";
import { COUNTED, noCounts } from "../counts.ts";
import { countLines, leftOutLine } from "./summary.ts";

test("counts and reasons stand below each other, and say what was here", () => {
  const counts = noCounts();
  counts.channels = { taken: 4, known: 2, changed: 0, left_out: 0 };
  counts.messages = { taken: 1234, known: 1, changed: 0, left_out: 0 };
  const lines = countLines(counts);
  expect(lines).toHaveLength(COUNTED.length);
  expect(lines[2]).toBe("  channels              4  (2 were here)");
  expect(lines[3]).toBe("  messages          1,234  (1 was here)");

  const examples = ["a\nb", "c", "d"];
  const long = leftOutLine({ kind: "system_message", reason: "subscription_role_removed", count: 2, examples });
  const short = leftOutLine({ kind: "pin", reason: "not_chosen", count: 2, examples });
  expect(long).toEndWith("2  a?b, c");
  expect(short).toHaveLength(long.length);
});
