import { SCENARIOS as CLUSTER_SCENARIOS } from "../packages/server/test/cluster/scenarios/scenarios.ts";
import { LONE_SCENARIOS } from "../packages/server/test/faults/scenarios/scenarios.ts";
import type { Scenario } from "../packages/server/test/support/cluster/scenario.ts";
import { newSeed } from "../packages/server/test/support/faults/random.ts";

// `npm run faults -- <scenario>`: runs an experiment with a server or a cluster under faults, in its long form.

type Scenarios = readonly Scenario<Record<string, number>>[];

const SCENARIOS: Scenarios = [...LONE_SCENARIOS, ...CLUSTER_SCENARIOS];
const listed = (scenarios: Scenarios): string =>
  scenarios.map(({ name, title, long }) => `  ${name}: ${title}\n    ${valuesOf(long)}`).join("\n");

const HELP = `Usage: npm run faults -- <scenario> [--short] [<name>=<number> ...]

Injects faults into real processes, and prints what was lost, doubled or late as one line of JSON. The exit code is 1 if a promise
was broken. A scenario with a seed prints it at the start; seed=<number> repeats its choices.

Scenarios of a lone server on SQLite, and their values (power-loss, hanging-disk and failing-sync need
strace, and full-disk the right to mount):
${listed(LONE_SCENARIOS)}

Scenarios of a cluster. PARLEY_TEST_DATABASE_URL names its PostgreSQL; redis-server must be installed:
${listed(CLUSTER_SCENARIOS)}
`;

function valuesOf(values: Record<string, number>): string {
  return Object.entries(values)
    .map(([name, value]) => `${name}=${value}`)
    .join(" ");
}

async function main(words: readonly string[]): Promise<number> {
  const [name, ...options] = words;
  const scenario = SCENARIOS.find((known) => known.name === name);
  if (scenario === undefined) {
    console.log(HELP);
    return name === undefined || name === "--help" ? 0 : 2;
  }
  const values = { ...(options.includes("--short") ? scenario.short : scenario.long) };
  for (const option of options.filter((word) => word !== "--short")) {
    const [key = "", text = ""] = option.split("=");
    if (!(key in values) || !/^\d+$/.test(text)) {
      console.error(`${option} is not a value of ${scenario.name}; it has ${valuesOf(values)}`);
      return 2;
    }
    values[key] = Number(text);
  }
  const problem = scenario.problem?.() ?? null;
  if (problem !== null) {
    console.error(`${scenario.name} cannot run here: ${problem}`);
    return 2;
  }
  if (values.seed === 0) values.seed = newSeed();
  console.error(`${scenario.title}: ${valuesOf(values)}`);
  const startedAt = performance.now();
  const conclude = (ok: boolean, figures: object) => {
    const seconds = Math.round((performance.now() - startedAt) / 1_000);
    console.log(JSON.stringify({ scenario: scenario.name, seconds, ...figures, ok }));
    return ok ? 0 : 1;
  };
  try {
    return conclude(true, await scenario.run(values, (text) => console.error(text)));
  } catch (error) {
    // An expectation that failed, or a cluster that could not run: both are no proof that the promise holds.
    console.error(error);
    return conclude(false, { seed: values.seed });
  }
}

process.exitCode = await main(process.argv.slice(2));
