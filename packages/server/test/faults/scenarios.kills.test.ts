import { describe } from "bun:test";
import { scenarioTests } from "../support/faults/scenario-tests.ts";
import { LONE_SCENARIOS } from "./scenarios/scenarios.ts";

describe("a lone server on SQLite", () => {
  scenarioTests(LONE_SCENARIOS.filter(({ problem }) => problem === undefined));
});
