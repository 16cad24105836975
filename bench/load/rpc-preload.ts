/**
 * Preloaded into the server under test (`bun --preload`), which does not use it: makes the chain calls of a payment
 * check with the same client and in the same process as the check, and ignores the responses. Listens for POST / on the
 * Unix socket BENCH_RPC_SOCKET: each request is an RpcJob.
 */
import { Type } from "typebox";
import { RpcServer } from "../../packages/server/src/chains/rpc/server.ts";
import { systemClock } from "../../packages/server/src/clock.ts";
import { createLog } from "../../packages/server/src/logging/log.ts";
import type { RpcJob } from "./jobs.ts";

const Anything = Type.Unknown();
const log = createLog({ level: "warn", readable: false });
const servers = new Map<string, RpcServer>();

function serverAt(url: string): RpcServer {
  const known = servers.get(url);
  if (known !== undefined) return known;
  const server = new RpcServer({ url, clock: systemClock, log, metrics: { chainServerFailed() {} } });
  servers.set(url, server);
  return server;
}

Bun.serve({
  unix: process.env.BENCH_RPC_SOCKET ?? "",
  async fetch(request) {
    const { url, checks, concurrency } = (await request.json()) as RpcJob;
    const server = serverAt(url);
    const waiting = [...checks];
    const next = async (): Promise<void> => {
      for (let steps = waiting.pop(); steps !== undefined; steps = waiting.pop()) {
        for (const calls of steps) {
          const { signal } = new AbortController(); // One for each step, as in a real check.
          await Promise.all(calls.map(({ method, params }) => server.call(Anything, method, params, signal)));
        }
      }
    };
    await Promise.all(Array.from({ length: concurrency }, next));
    return new Response("done");
  },
});
