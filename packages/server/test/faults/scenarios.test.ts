import { describe, test } from "bun:test";
import { newSeed } from "../support/faults/random.ts";
import { LONE_SCENARIOS } from "./scenarios/scenarios.ts";

describe("a lone server on SQLite", () => {
  for (const { name, title, short, run } of LONE_SCENARIOS) {
    test(title, async () => {
      const values = "seed" in short ? { ...short, seed: newSeed() } : short;
      // Also of a run that fails: the seed repeats it.
      console.log(JSON.stringify({ scenario: name, ...values }));
      console.log(JSON.stringify({ scenario: name, ...(await run(values, () => {})) }));
    }, 120_000);
  }
});
