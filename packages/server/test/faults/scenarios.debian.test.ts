import { describe } from "bun:test";
import { scenarioTests } from "../support/faults/scenario-tests.ts";
import { LONE_SCENARIOS } from "./scenarios/scenarios.ts";

/** Those that break the disk, by mounting a small one or with strace. */
describe("a lone server on SQLite with a faulty disk", () => {
  scenarioTests(LONE_SCENARIOS.filter(({ problem }) => problem !== undefined));
});
