import type { Scenario } from "../../support/cluster/scenario.ts";
import { database } from "./database.ts";
import { kills } from "./kills.ts";
import { order } from "./order.ts";
import { outage } from "./outage.ts";
import { packets } from "./packets.ts";
import { readYourWrites } from "./read-your-writes.ts";
import { revocations } from "./revocations.ts";
import { rolling } from "./rolling.ts";

/** Every scenario, in the order in which `npm run faults` lists them. */
export const SCENARIOS: readonly Scenario<Record<string, number>>[] = [
  order,
  readYourWrites,
  kills,
  outage,
  revocations,
  rolling,
  database,
  packets,
];
