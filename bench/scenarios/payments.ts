import type { ServerKind } from "../servers/server.ts";
import type { Bench, Measurement, Scenario } from "../suite.ts";
import { toMeasurement } from "./http-measurement.ts";
import { checkParts } from "./payment-check.ts";
import { openPaymentSetup, paidRequests, USERS } from "./payment-setup.ts";

/** Payments in one run: more than a server verifies in that time. */
const PAYMENTS = 2_000;

const measure =
  (payments: number) =>
  async (bench: Bench, kind: ServerKind): Promise<Measurement> => {
    const setup = await openPaymentSetup(bench, kind);
    const { server } = setup;
    const { warmupMs, runMs } = bench.settings;
    const result = await bench.load.run({
      kind: "http",
      port: server.port,
      serverPid: server.pid,
      requests: await paidRequests(setup, payments),
      connections: 16,
      expectStatus: 200,
      warmupMs,
      runMs,
    });
    return toMeasurement(result);
  };

/** Measures the server's own cost of a payment check: the simulated chain responds at once. */
export const payments: Scenario = {
  name: "payments",
  about:
    "GET /api/paid/:resource_slug with a proof; the cost of checking a new payment, without its calls to the chain",
  cases: () => [
    ...checkParts(),
    { name: "known payments", unit: "requests/s", servers: ["parley"], measure: measure(USERS) },
    { name: "new payments, then known", unit: "requests/s", servers: ["parley"], measure: measure(PAYMENTS) },
  ],
};
