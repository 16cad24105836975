import { join } from "node:path";
import { parley } from "../servers/parley.ts";
import { CHAIN_ID, PaymentChain, PRICE, RECIPIENT } from "../servers/payment-chain.ts";
import { RunningServer, type ServerKind } from "../servers/server.ts";
import type { Bench, Measurement, Scenario } from "../suite.ts";

/** Payments in one run: more than any server verifies in that time would only take longer to sign. */
const PAYMENTS = 2_000;
/** The development profile takes 6,000 proofs a minute of one account. */
const USERS = 64;

interface Shop {
  server: RunningServer;
  chain: PaymentChain;
  cookies: string[];
}

let shop: Promise<Shop> | undefined;
let slugs = 0;

async function open(bench: Bench, kind: ServerKind): Promise<Shop> {
  const chain = new PaymentChain();
  const settings = {
    PARLEY_EVM_RPC_URL: chain.url,
    PARLEY_EVM_CHAIN_ID: String(CHAIN_ID),
    PARLEY_EVM_CONFIRMATIONS: "1",
    PARLEY_PAYMENT_RECIPIENT: RECIPIENT,
  };
  const env = (dataDir: string) => ({ ...parley.env(dataDir), ...settings });
  const server = bench.keep(await RunningServer.start({ ...kind, env }));
  return { server, chain, cookies: await kind.sessions(server, USERS) };
}

/** A new resource; its path. */
async function sell({ server }: Shop): Promise<string> {
  const slug = `bench-${++slugs}`;
  const file = join(server.dataDir, slug);
  await Bun.write(file, "paid for");
  const args = ["paid", "add", slug, "--amount", String(PRICE), "--currency", "ETH", "--file", file];
  const child = Bun.spawn([process.execPath, "packages/server/src/main.ts", ...args], {
    env: { ...process.env, ...server.kind.env(server.dataDir) },
    stdout: "ignore",
    stderr: "pipe",
  });
  if ((await child.exited) !== 0) throw new Error(await new Response(child.stderr).text());
  return `/api/paid/${slug}`;
}

/** As many paid requests; each user asks as often as he will pay. */
async function paidRequests(shop: Shop, path: string, payments: number): Promise<string[]> {
  const { server, chain, cookies } = shop;
  return Promise.all(
    Array.from({ length: payments }, async (_, n) => {
      const cookie = cookies[n % USERS] ?? "";
      const asked = await fetch(server.url + path, { headers: { cookie } });
      const { paymentId } = JSON.parse(asked.headers.get("payment-required") ?? "") as { paymentId: string };
      const proof = JSON.stringify({ txHash: await chain.pay(), paymentId });
      const head = [`GET ${path} HTTP/1.1`, `Host: 127.0.0.1:${server.port}`, `Cookie: ${cookie}`];
      return [...head, `PAYMENT-SIGNATURE: ${proof}`, "", ""].join("\r\n");
    }),
  );
}

const measure =
  (payments: number) =>
  async (bench: Bench, kind: ServerKind): Promise<Measurement> => {
    shop ??= open(bench, kind);
    const here = await shop;
    const { server } = here;
    const { warmupMs, runMs } = bench.settings;
    const result = await bench.load.run({
      kind: "http",
      port: server.port,
      serverPid: server.pid,
      requests: await paidRequests(here, await sell(here), payments),
      connections: 16,
      expectStatus: 200,
      warmupMs,
      runMs,
    });
    return {
      value: result.answers / result.seconds,
      cpu: result.cpu,
      details: {
        p50_ms: result.p50Ms,
        p99_ms: result.p99Ms,
        server_cpu_us_each: (result.cpu.server * result.seconds * 1e6) / result.answers,
      },
      faults: result.errors > 0 ? [`${result.errors} errors, the first: ${result.firstError}`] : [],
    };
  };

/** What the check of a payment costs the server itself: the chain beside it answers at once (goal: at most 1 ms a request). */
export const payments: Scenario = {
  name: "payments",
  about:
    "GET /api/paid/:resource_slug with a proof: after the first round of each the payment is known, and is looked up only",
  cases: () => [
    { name: "known payments", unit: "requests/s", servers: ["parley"], measure: measure(USERS) },
    { name: "new payments, then known", unit: "requests/s", servers: ["parley"], measure: measure(PAYMENTS) },
  ],
};
