import { SCENARIOS } from "../packages/server/test/cluster/scenarios/scenarios.ts";

// `npm run faults -- <scenario>`: runs an experiment with a cluster under faults, in its long form. Needs the PostgreSQL
// of the tests (PARLEY_TEST_DATABASE_URL) and redis-server.

const HELP = `Usage: npm run faults -- <scenario> [--short] [<name>=<number> ...]

Runs a cluster of nodes with a real PostgreSQL and Redis, injects faults, and prints what was lost, doubled or late as one line of JSON.
PARLEY_TEST_DATABASE_URL names the database; redis-server must be installed.

Scenarios and their values:
${SCENARIOS.map(({ name, title, long }) => `  ${name}: ${title}\n    ${valuesOf(long)}`).join("\n")}
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
  console.error(`${scenario.title}: ${valuesOf(values)}`);
  const startedAt = performance.now();
  const figures = await scenario.run(values, (text) => console.error(text));
  const seconds = Math.round((performance.now() - startedAt) / 1_000);
  console.log(JSON.stringify({ scenario: scenario.name, seconds, ...figures }));
  return 0;
}

process.exitCode = await main(process.argv.slice(2));
