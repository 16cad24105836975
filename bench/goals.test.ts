import { expect, test } from "bun:test";
import { goals } from "./goals.ts";
import { scenarios } from "./scenarios/all.ts";
import { boot } from "./scenarios/boot.ts";
import { cluster } from "./scenarios/cluster.ts";
import { BENCH_DATABASE } from "./servers/cluster.ts";
import type { Settings } from "./suite.ts";

const settings: Settings = {
  rounds: 1,
  runMs: 1,
  warmupMs: 1,
  firstWarmupMs: 1,
  messages: 1,
  watchMs: 1,
  servers: ["parley", "express", "bare-bun"],
};

test("every goal names an existing case, measured on the servers that it compares", () => {
  const unknown = goals.filter((goal) => {
    // These cases exist only after `npm run build`.
    if (goal.scenario === boot.name && goal.case.startsWith("executable")) return false;
    // Its case exists only if there is a database.
    if (goal.scenario === cluster.name && BENCH_DATABASE === undefined) return false;
    const cases = scenarios.find(({ name }) => name === goal.scenario)?.cases(settings) ?? [];
    const servers = cases.find(({ name }) => name === goal.case)?.servers ?? [];
    return !servers.includes("parley") || (goal.against !== null && !servers.includes(goal.against));
  });
  expect(unknown).toEqual([]);
});
