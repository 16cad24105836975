import { test } from "bun:test";
import type { Scenario } from "../cluster/scenario.ts";
import { newSeed } from "./random.ts";

/** Declares a test for each scenario, in its short form. It prints the figures and the seed, which repeats the run. */
export function scenarioTests(scenarios: readonly Scenario<Record<string, number>>[]): void {
  for (const { name, title, short, run } of scenarios) {
    const values = "seed" in short ? { ...short, seed: newSeed() } : short;
    test(title, async () => {
      // Also of a run that fails.
      console.log(JSON.stringify({ scenario: name, ...values }));
      console.log(JSON.stringify({ scenario: name, ...(await run(values, () => {})) }));
    });
  }
}
