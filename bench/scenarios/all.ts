import type { Scenario } from "../suite.ts";
import { boot } from "./boot.ts";
import { claims } from "./claims.ts";
import { cluster } from "./cluster.ts";
import { fanOut } from "./fan-out.ts";
import { newestPage, sendHttp } from "./http.ts";
import { idleSockets } from "./idle-sockets.ts";
import { joinStorm } from "./join-storm.ts";
import { latency } from "./latency.ts";
import { payments } from "./payments.ts";
import { search } from "./search.ts";
import { web } from "./web.ts";
import { wrkScenario } from "./wrk.ts";

/** All scenarios, in the order in which they run. */
export const scenarios: readonly Scenario[] = [
  sendHttp,
  fanOut,
  latency,
  cluster,
  newestPage,
  wrkScenario,
  joinStorm,
  idleSockets,
  claims,
  payments,
  search,
  boot,
  web,
];
