import { describe } from "bun:test";
import { scenarioTests } from "../support/faults/scenario-tests.ts";
import { SCENARIOS } from "./scenarios/scenarios.ts";

describe("in a cluster of nodes on PostgreSQL and Redis", () => {
  scenarioTests(SCENARIOS);
});
