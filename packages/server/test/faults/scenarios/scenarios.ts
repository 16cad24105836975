import type { Scenario } from "../../support/cluster/scenario.ts";
import { backups } from "./backups.ts";
import { clockJumps } from "./clock-jumps.ts";
import { damagedExports } from "./damaged-exports.ts";
import { failingSync } from "./failing-sync.ts";
import { fullDisk } from "./full-disk.ts";
import { hangingDisk } from "./hanging-disk.ts";
import { hostile } from "./hostile.ts";
import { lostDisk } from "./lost-disk.ts";
import { money } from "./money.ts";
import { powerLoss } from "./power-loss.ts";
import { resends } from "./resends.ts";
import { slowReaders } from "./slow-readers.ts";
import { storm } from "./storm.ts";

/** Scenarios of a lone server on SQLite, in the order in which `npm run faults` lists them. */
export const LONE_SCENARIOS: readonly Scenario<Record<string, number>>[] = [
  resends,
  storm,
  hostile,
  powerLoss,
  hangingDisk,
  failingSync,
  fullDisk,
  slowReaders,
  clockJumps,
  money,
  backups,
  lostDisk,
  damagedExports,
];
