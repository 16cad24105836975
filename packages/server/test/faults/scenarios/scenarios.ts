import type { Scenario } from "../../support/cluster/scenario.ts";
import { backups } from "./backups.ts";
import { hangingDisk } from "./hanging-disk.ts";
import { hostile } from "./hostile.ts";
import { resends } from "./resends.ts";
import { storm } from "./storm.ts";

/** Scenarios of a lone server on SQLite, in the order in which `npm run faults` lists them. */
export const LONE_SCENARIOS: readonly Scenario<Record<string, number>>[] = [
  resends,
  storm,
  hostile,
  hangingDisk,
  backups,
];
