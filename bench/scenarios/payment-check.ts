import type { RpcJob } from "../load/jobs.ts";
import { cpuSeconds } from "../procfs.ts";
import { PAID_BLOCK } from "../servers/payment-chain.ts";
import type { ServerKind } from "../servers/server.ts";
import type { Bench, Case, Measurement } from "../suite.ts";
import { openPaymentSetup, type PaymentSetup, paidRequests } from "./payment-setup.ts";

/** Number of payments, each presented once, and how many are presented concurrently. */
const CHECKED = 1_000;
const AT_ONCE = 8;

/**
 * Returns the chain calls of one check: two concurrently, then two that need the first answers. The chain's counter
 * confirms that there are no others.
 */
const callsOf = (hash: string): RpcJob["checks"][number] => [
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
    wallMs: ((performance.now() - started) * AT_ONCE) / times,
  };
}

/** Sends each request once; returns the CPU use of the whole server process during that time. */
function present(setup: PaymentSetup, requests: readonly Request[], faults: string[]): Promise<Cost> {
  const waiting = [...requests];
  const next = async (): Promise<void> => {
    for (let request = waiting.pop(); request !== undefined; request = waiting.pop()) {
      const answer = await fetch(request.url, { headers: request.headers });
      const text = await answer.text();
      if (answer.status !== 200) faults.push(`${answer.status} ${text}`);
    }
  };
  return costOf(setup, requests.length, async () => {
    await Promise.all(Array.from({ length: AT_ONCE }, next));
  });
}

/** Makes only the chain calls of the checks, by the server's own client in the server's own process. */
function callsAlone(setup: PaymentSetup, hashes: readonly string[]): Promise<Cost> {
  const job: RpcJob = { url: setup.chain.url, checks: hashes.map(callsOf), atOnce: AT_ONCE };
  return costOf(setup, hashes.length, async () => {
    const answer = await fetch("http://localhost/", {
      unix: setup.rpcSocket,
      method: "POST",
      body: JSON.stringify(job),
    });
    if (!answer.ok) throw new Error(`the calls alone failed: ${answer.status} ${await answer.text()}`);
  });
}

/** One round: the same server runs one after the other, so that all costs come from the same minutes of the machine. */
interface Round {
  fresh: Cost;
  known: Cost;
  bare: Cost;
  alone: Cost;
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
      fresh: await present(setup, paid, faults),
      known: await present(setup, paid, faults),
      bare: await present(setup, free, faults),
      alone: await callsAlone(
        setup,
        proofs.map(({ hash }) => hash),
      ),
    };
  };
  // Without a warm-up of this size, compilation would be measured too.
  await once();
  const round = await once();
  const { fresh, known, alone } = round;
  if (known.calls > 0) faults.push("a known payment was looked up again");
  if (fresh.calls !== alone.calls || fresh.requests !== alone.requests)
    faults.push("the calls alone are not the check's");
  return { ...round, faults: faults.slice(0, 3) };
}

const ownMs = ({ fresh, bare, alone }: Round): number => fresh.cpuMs - bare.cpuMs - alone.cpuMs;

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
      value: ownMs(round),
      details: { less_a_known_request_ms: round.fresh.cpuMs - round.known.cpuMs - round.alone.cpuMs },
    })),
    part("the whole request with a new payment", ({ fresh: { cpuMs, wallMs } }) => ({
      value: cpuMs,
      details: { wall_ms: wallMs },
    })),
    part("the check's calls to the chain alone", ({ alone: { cpuMs, calls, requests } }) => ({
      value: cpuMs,
      details: { calls, requests },
    })),
    part("a request that needs no payment", ({ bare }) => ({ value: bare.cpuMs, details: {} })),
    part("the request with a known payment", ({ known }) => ({ value: known.cpuMs, details: {} })),
  ];
}
