import type { RpcJob } from "../load/jobs.ts";
import { cpuSeconds } from "../procfs.ts";
import { PAID_BLOCK } from "../servers/payment-chain.ts";
import type { ServerKind } from "../servers/server.ts";
import type { Bench, Case, Measurement } from "../suite.ts";
import { openPaymentSetup, type PaymentSetup, paidRequests } from "./payment-setup.ts";

/** Number of payments, each presented once, and how many are presented concurrently. */
const CHECKED = 1_000;
const CONCURRENCY = 8;

/**
 * Returns the chain calls of one check: two concurrently, then two that need the first answers. The chain's counter
 * confirms that there are no others.
 */
const rpcCallsOf = (hash: string): RpcJob["checks"][number] => [
  [
    { method: "eth_getTransactionByHash", params: [hash] },
    { method: "eth_getTransactionReceipt", params: [hash] },
  ],
  [
    { method: "eth_getBlockByNumber", params: [PAID_BLOCK, false] },
    { method: "eth_blockNumber", params: [] },
  ],
];

/** The cost of an operation, per item. */
interface Cost {
  /** CPU of the server's process, including all threads. */
  cpuMs: number;
  /** Calls to the chain, and the requests that carried them. */
  calls: number;
  requests: number;
  wallMs: number;
}

async function costOf({ server, chain }: PaymentSetup, times: number, act: () => Promise<void>): Promise<Cost> {
  const [cpu, calls, requests, started] = [cpuSeconds(server.pid), chain.calls, chain.requests, performance.now()];
  await act();
  return {
    cpuMs: ((cpuSeconds(server.pid) - cpu) * 1_000) / times,
    calls: (chain.calls - calls) / times,
    requests: (chain.requests - requests) / times,
    wallMs: ((performance.now() - started) * CONCURRENCY) / times,
  };
}

/** Sends each request once; returns the CPU use of the whole server process during that time. */
function sendAll(setup: PaymentSetup, requests: readonly Request[], faults: string[]): Promise<Cost> {
  const waiting = [...requests];
  const next = async (): Promise<void> => {
    for (let request = waiting.pop(); request !== undefined; request = waiting.pop()) {
      const answer = await fetch(request.url, { headers: request.headers });
      const text = await answer.text();
      if (answer.status !== 200) faults.push(`${answer.status} ${text}`);
    }
  };
  return costOf(setup, requests.length, async () => {
    await Promise.all(Array.from({ length: CONCURRENCY }, next));
  });
}

/** Makes only the chain calls of the checks, with the server's client in the server's process. */
function makeRpcCallsOnly(setup: PaymentSetup, hashes: readonly string[]): Promise<Cost> {
  const job: RpcJob = { url: setup.chain.url, checks: hashes.map(rpcCallsOf), concurrency: CONCURRENCY };
  return costOf(setup, hashes.length, async () => {
    const answer = await fetch("http://localhost/", {
      unix: setup.rpcSocket,
      method: "POST",
      body: JSON.stringify(job),
    });
    if (!answer.ok) throw new Error(`the chain calls failed: ${answer.status} ${await answer.text()}`);
  });
}

/** The costs of one round. One server incurs them in succession, so that the machine is in the same state for all. */
interface Round {
  first: Cost;
  repeated: Cost;
  unpaid: Cost;
  rpcOnly: Cost;
  faults: string[];
}

async function measureRound(bench: Bench, kind: ServerKind): Promise<Round> {
  const setup = await openPaymentSetup(bench, kind);
  const faults: string[] = [];
  const once = async () => {
    const proofs = (await paidRequests(setup, CHECKED)).map((text) => {
      const [, path = ""] = /^GET (\S+) /.exec(text) ?? [];
      const [, cookie = ""] = /Cookie: (.*)\r/.exec(text) ?? [];
      const [, proof = ""] = /PAYMENT-SIGNATURE: (.*)\r/.exec(text) ?? [];
      return { path, cookie, proof, hash: (JSON.parse(proof) as { txHash: string }).txHash };
    });
    const paid = proofs.map(
      ({ path, cookie, proof }) =>
        new Request(setup.server.url + path, { headers: { cookie, "payment-signature": proof } }),
    );
    const free = proofs.map(
      ({ cookie }) => new Request(`${setup.server.url}/api/auth/sessions`, { headers: { cookie } }),
    );
    return {
      first: await sendAll(setup, paid, faults),
      repeated: await sendAll(setup, paid, faults),
      unpaid: await sendAll(setup, free, faults),
      rpcOnly: await makeRpcCallsOnly(
        setup,
        proofs.map(({ hash }) => hash),
      ),
    };
  };
  // Without a warm-up of this size, compilation would be measured too.
  await once();
  const round = await once();
  const { first, repeated, rpcOnly } = round;
  if (repeated.calls > 0) faults.push("the server looked up a known payment again");
  if (first.calls !== rpcOnly.calls || first.requests !== rpcOnly.requests)
    faults.push("a check makes other chain calls than the benchmark assumes");
  return { ...round, faults: faults.slice(0, 3) };
}

const checkCostMs = ({ first, unpaid, rpcOnly }: Round): number => first.cpuMs - unpaid.cpuMs - rpcOnly.cpuMs;

/**
 * Returns the rows of the check, which are parts of one measurement: the whole CPU of the server for a request with a
 * payment it has not seen; of the chain calls in it; of a request that needs no payment; and the first minus the other
 * two, the check's own work, including its two durable writes and the payer's signature.
 */
export function checkParts(): Case[] {
  const rounds: Promise<Round>[] = [];
  const part = (name: string, figure: (round: Round) => Omit<Measurement, "faults">): Case => {
    let next = 0;
    return {
      name,
      unit: "ms of CPU",
      servers: ["parley"],
      async measure(bench, kind) {
        rounds[next] ??= measureRound(bench, kind);
        const round = await rounds[next++];
        if (round === undefined) throw new Error("no such round");
        return { ...figure(round), faults: round.faults };
      },
    };
  };
  return [
    part("check of a new payment", (round) => ({
      value: checkCostMs(round),
      details: { less_a_known_request_ms: round.first.cpuMs - round.repeated.cpuMs - round.rpcOnly.cpuMs },
    })),
    part("the whole request with a new payment", ({ first: { cpuMs, wallMs } }) => ({
      value: cpuMs,
      details: { wall_ms: wallMs },
    })),
    part("the check's calls to the chain alone", ({ rpcOnly: { cpuMs, calls, requests } }) => ({
      value: cpuMs,
      details: { calls, requests },
    })),
    part("a request that needs no payment", ({ unpaid }) => ({ value: unpaid.cpuMs, details: {} })),
    part("the request with a known payment", ({ repeated }) => ({ value: repeated.cpuMs, details: {} })),
  ];
}
