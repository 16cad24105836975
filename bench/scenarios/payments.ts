import { join } from "node:path";
import { pinned, SERVER_CORE } from "../pinning.ts";
import { cpuSeconds } from "../procfs.ts";
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

/** Payments that are each presented once, and how many of them at a time. */
const CHECKED = 1_000;
const AT_ONCE = 8;

interface Checked {
  /** CPU of the server's process, with all its threads, for one request. */
  cpuUs: number;
  /** What the chain was asked for one request. */
  calls: number;
  wallMs: number;
  faults: string[];
}

/** Presents each of those once, and counts what the whole process of the server has used meanwhile: nothing is left out. */
async function present({ server, chain }: Shop, requests: readonly Request[]): Promise<Checked> {
  const [cpu, calls, started] = [cpuSeconds(server.pid), chain.calls, performance.now()];
  const waiting = [...requests];
  const faults: string[] = [];
  const next = async (): Promise<void> => {
    for (let request = waiting.pop(); request !== undefined; request = waiting.pop()) {
      const answer = await fetch(request.url, { headers: request.headers });
      const text = await answer.text();
      if (answer.status !== 200) faults.push(`${answer.status} ${text}`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, next));
  return {
    cpuUs: ((cpuSeconds(server.pid) - cpu) * 1e6) / requests.length,
    calls: (chain.calls - calls) / requests.length,
    wallMs: ((performance.now() - started) * AT_ONCE) / requests.length,
    faults: faults.slice(0, 1),
  };
}

/** CPU of nothing but that many calls to the chain, in a process on the server's core: what the server cannot save. */
async function callsAlone({ chain }: Shop, calls: number, times: number): Promise<number> {
  const script = new URL("../load/rpc-calls.ts", import.meta.url).pathname;
  const words = [process.execPath, script, chain.url, String(Math.round(calls)), String(times), String(AT_ONCE)];
  const child = Bun.spawn(pinned(SERVER_CORE, words), { stdout: "pipe", stderr: "inherit" });
  const text = await new Response(child.stdout).text();
  if ((await child.exited) !== 0) throw new Error("the calls alone could not be measured");
  return Number(text);
}

/**
 * The check by itself. The figure is the server's whole CPU for a request with a payment it has not seen, less that of the bare calls to
 * the chain; HTTP, session, the two durable writes and the signature are in it. `check_adds_us` is less the same request with a known
 * payment, too.
 */
async function measureCheck(bench: Bench, kind: ServerKind): Promise<Measurement> {
  shop ??= open(bench, kind);
  const here = await shop;
  const requestsOf = async (payments: number) => {
    const path = await sell(here);
    return (await paidRequests(here, path, payments)).map((text) => {
      const [, cookie = ""] = /Cookie: (.*)\r/.exec(text) ?? [];
      const [, proof = ""] = /PAYMENT-SIGNATURE: (.*)\r/.exec(text) ?? [];
      return new Request(here.server.url + path, { headers: { cookie, "payment-signature": proof } });
    });
  };
  // So many, or what is compiled on the way were counted with it.
  await present(here, await requestsOf(CHECKED));
  const requests = await requestsOf(CHECKED);
  const fresh = await present(here, requests);
  const known = await present(here, requests);
  const rpcUs = await callsAlone(here, fresh.calls, CHECKED);
  return {
    value: (fresh.cpuUs - rpcUs) / 1_000,
    details: {
      request_cpu_us: fresh.cpuUs,
      rpc_calls: fresh.calls,
      rpc_cpu_us: rpcUs,
      known_request_cpu_us: known.cpuUs,
      check_adds_us: fresh.cpuUs - rpcUs - known.cpuUs,
      wall_ms: fresh.wallMs,
    },
    faults: [...fresh.faults, ...known.faults, ...(known.calls > 0 ? ["a known payment was looked up again"] : [])],
  };
}

/** What the check of a payment costs the server itself: the chain beside it answers at once (goal: at most 1 ms a request). */
export const payments: Scenario = {
  name: "payments",
  about:
    "GET /api/paid/:resource_slug with a proof; what the check of a new payment costs beside its calls to the chain",
  cases: () => [
    { name: "check of a new payment", unit: "ms of CPU", servers: ["parley"], measure: measureCheck },
    { name: "known payments", unit: "requests/s", servers: ["parley"], measure: measure(USERS) },
    { name: "new payments, then known", unit: "requests/s", servers: ["parley"], measure: measure(PAYMENTS) },
  ],
};
