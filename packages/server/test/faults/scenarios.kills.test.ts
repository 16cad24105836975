import { describe, expect, test } from "bun:test";
import { newSeed } from "../support/faults/random.ts";
import { LONE_SCENARIOS } from "./scenarios/scenarios.ts";

const isRequired = process.env.CI === "true" || process.env.PARLEY_REQUIRE_SERVICES === "1";

describe("a lone server on SQLite", () => {
  for (const { name, title, short, run, problem } of LONE_SCENARIOS) {
    const reason = problem?.() ?? null;
    if (reason !== null) console.error(`\n!! The scenario ${name} is SKIPPED (${reason})\n`);
    if (reason !== null && isRequired) test(`${name} can run here`, () => expect(reason).toBeNull());
    test.skipIf(reason !== null)(
      title,
      async () => {
        const values = "seed" in short ? { ...short, seed: newSeed() } : short;
        // Also of a run that fails: the seed repeats it.
        console.log(JSON.stringify({ scenario: name, ...values }));
        console.log(JSON.stringify({ scenario: name, ...(await run(values, () => {})) }));
      },
      120_000,
    );
  }
});
