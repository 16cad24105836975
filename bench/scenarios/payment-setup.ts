import { join } from "node:path";
import { parley } from "../servers/parley.ts";
import { CHAIN_ID, PaymentChain, PRICE, RECIPIENT } from "../servers/payment-chain.ts";
import { RunningServer, type ServerKind } from "../servers/server.ts";
import type { Bench } from "../suite.ts";

/** Enough that none reaches the rate of the development profile: 6,000 proofs a minute from one account. */
export const USERS = 64;

const RPC_PRELOAD = new URL("../load/rpc-preload.ts", import.meta.url).pathname;

/** A server with paid resources, the chain of the payments, and the payers. */
export interface PaymentSetup {
  server: RunningServer;
  chain: PaymentChain;
  cookies: string[];
  /** The socket of the code that makes calls inside the server's process (load/rpc-preload.ts). */
  rpcSocket: string;
}

let setup: Promise<PaymentSetup> | undefined;
let slugs = 0;

/** Returns the setup of this run. */
export function openPaymentSetup(bench: Bench, kind: ServerKind): Promise<PaymentSetup> {
  setup ??= open(bench, kind);
  return setup;
}

async function open(bench: Bench, kind: ServerKind): Promise<PaymentSetup> {
  const chain = new PaymentChain();
  const rpcSocket = (dataDir: string) => join(dataDir, "rpc.sock");
  const settings = {
    PARLEY_EVM_RPC_URL: chain.url,
    PARLEY_EVM_CHAIN_ID: String(CHAIN_ID),
    PARLEY_EVM_CONFIRMATIONS: "1",
    PARLEY_PAYMENT_RECIPIENT: RECIPIENT,
  };
  const env = (dataDir: string) => ({ ...parley.env(dataDir), ...settings, BENCH_RPC_SOCKET: rpcSocket(dataDir) });
  const command = (dataDir: string) => {
    const [bun = "", ...program] = kind.command(dataDir);
    return [bun, "--preload", RPC_PRELOAD, ...program];
  };
  const server = bench.keep(await RunningServer.start({ ...kind, env, command }));
  const cookies = await kind.sessions(server, USERS);
  return { server, chain, cookies, rpcSocket: rpcSocket(server.dataDir) };
}

/** Adds a paid resource; returns its path. */
async function sell({ server }: PaymentSetup): Promise<string> {
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

/** Returns requests with payments, as many as given. Each user pays once for each resource. */
export async function paidRequests(setup: PaymentSetup, payments: number): Promise<string[]> {
  const { server, chain, cookies } = setup;
  const paths: string[] = [];
  while (paths.length * USERS < payments) paths.push(await sell(setup));
  return Promise.all(
    Array.from({ length: payments }, async (_, n) => {
      const cookie = cookies[n % USERS] ?? "";
      const path = paths[Math.floor(n / USERS)] ?? "";
      const asked = await fetch(server.url + path, { headers: { cookie } });
      const { paymentId } = JSON.parse(asked.headers.get("payment-required") ?? "") as { paymentId: string };
      const proof = JSON.stringify({ txHash: await chain.pay(), paymentId });
      const head = [`GET ${path} HTTP/1.1`, `Host: 127.0.0.1:${server.port}`, `Cookie: ${cookie}`];
      return [...head, `PAYMENT-SIGNATURE: ${proof}`, "", ""].join("\r\n");
    }),
  );
}
