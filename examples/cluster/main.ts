/**
 * Runs three nodes on one PostgreSQL and one Redis, behind a small balancer: npm run demo:cluster
 * Both must run already. Ctrl-C stops the nodes; their data stay in the PostgreSQL schema `parley_demo`.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Balancer } from "./balancer.ts";
import { freePorts, Node } from "./node.ts";
import { Missing, reachPostgres, reachRedis } from "./services.ts";

const NODES = 3;
const START_MS = 60_000;

const {
  DATABASE_URL = "postgres://parley:parley@127.0.0.1:5432/parley",
  REDIS_URL = "redis://127.0.0.1:6379",
  PORT = "3000",
} = process.env;

/** Adds the demo's own schema to the URL, unless it names one. */
function withSchema(url: string): string {
  const made = new URL(url);
  if (!made.searchParams.has("options")) made.searchParams.set("options", "-c search_path=parley_demo");
  return made.href;
}

async function demo(stack: AsyncDisposableStack, stopped: Promise<unknown>): Promise<void> {
  await reachPostgres(DATABASE_URL);
  await Promise.all(REDIS_URL.split(",").map(reachRedis));

  const folder = mkdtempSync(join(tmpdir(), "parley-cluster-"));
  stack.defer(() => rmSync(folder, { recursive: true, force: true }));
  const page = `http://127.0.0.1:${PORT}`;
  const env = { DATABASE_URL: withSchema(DATABASE_URL), REDIS_URL, PARLEY_PUBLIC_URL: page };
  const ports = await freePorts(NODES);

  const allReady = Promise.withResolvers<void>();
  let ready = 0;
  const tell = (port: number, isReady: boolean) => {
    ready += isReady ? 1 : -1;
    console.log(`balancer  ${nodes.find((node) => node.port === port)?.name} is ${isReady ? "ready" : "out"}`);
    if (ready === NODES) allReady.resolve();
  };
  const nodes = ports.map((port, at) => stack.use(new Node(`node-${at + 1}`, port, folder, env)));
  // Last, so that it is closed first.
  const balancer = await Balancer.start(Number(PORT), ports, tell);
  stack.use(balancer);

  const early = Promise.withResolvers<never>();
  const ends = nodes.map(async (node) => {
    const code = await node.ended;
    console.log(`${node.name}  ended (${code})`);
    if (ready < NODES) early.reject(new Missing(`${node.name} could not start; see above.`));
  });
  const late = AbortSignal.timeout(START_MS);
  const isLate = new Promise<never>((_, reject) => {
    late.addEventListener("abort", () => reject(new Missing("The nodes were not ready after a minute; see above.")));
  });
  const allEnded = Promise.all(ends).then(() => {
    throw new Missing("All nodes have ended; see above.");
  });
  // The one that loses the race may reject later.
  for (const each of [isLate, allEnded, early.promise]) each.catch(() => {});
  let isStopped = false;
  void stopped.then(() => {
    isStopped = true;
  });
  await Promise.race([allReady.promise, isLate, early.promise, stopped]);
  if (isStopped) return;
  console.log(`
Three nodes are ready: ${nodes.map(({ name, port, pid }) => `${name} (port ${port}, process ${pid})`).join(", ")}.

  Web page   ${page}/
  API        ${page}/api    described in ${page}/docs

Open the page in two browsers: they may be on different nodes. To see that nothing is lost, kill one: kill -9 ${nodes[0]?.pid}
Ctrl-C stops everything. The data stay in the schema parley_demo of the database.
`);
  await Promise.race([stopped, allEnded]);
}

const stopped = new Promise<void>((resolve) => {
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => resolve());
});
try {
  await using stack = new AsyncDisposableStack();
  await demo(stack, stopped);
  console.log("\nStopping …");
} catch (error) {
  if (!(error instanceof Missing)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
process.exit();
