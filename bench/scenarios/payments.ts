import type { ServerKind } from "../servers/server.ts";
import type { Bench, Measurement, Scenario } from "../suite.ts";
import { measured } from "./http-measurement.ts";
import { checkParts } from "./payment-check.ts";
import { openPaymentSetup, paidRequests, USERS } from "./payment-setup.ts";

/** Payments in one run. A server verifies no more in that time, and more would only take longer to sign. */
const PAYMENTS = 2_000;

const measure =
  (payments: number) =>
  async (bench: Bench, kind: ServerKind): Promise<Measurement> => {
    const here = await openPaymentSetup(bench, kind);
    const { server } = here;
    const { warmupMs, runMs } = bench.settings;
    const result = await bench.load.run({
      kind: "http",
      port: server.port,
      serverPid: server.pid,
      requests: await paidRequests(here, payments),
      connections: 16,
      expectStatus: 200,
      warmupMs,
      runMs,
    });
    return measured(result);
  };

/** The server's own cost of a payment check: the chain next to it answers at once (goal: at most 1 ms a request). */
export const payments: Scenario = {
  name: "payments",
  about:
    "GET /api/paid/:resource_slug with a proof; what the check of a new payment costs beside its calls to the chain",
  cases: () => [
    ...checkParts(),
    { name: "known payments", unit: "requests/s", servers: ["parley"], measure: measure(USERS) },
    { name: "new payments, then known", unit: "requests/s", servers: ["parley"], measure: measure(PAYMENTS) },
  ],
};
