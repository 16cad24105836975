/**
 * `node_modules/.bin/bun bench/replica.ts [--rate 300] [--rounds 6] [--seconds 5]`: how long sends take at a steady rate
 * with a replica (PARLEY_REPLICA, a folder on the same disk) and without one, in turns, on two servers of which one waits.
 * Each send begins at its own time, whether or not earlier ones have ended.
 */
import { parseArgs } from "node:util";
import { temporaryFolder } from "../packages/server/test/support/config.ts";
import { ChildServer, freePort } from "../packages/server/test/support/servers/child-server.ts";
import { Client, cookieOf, eventually } from "../packages/server/test/support/servers/test-server.ts";
import { percentile } from "./statistics.ts";

const { values } = parseArgs({
  options: {
    rate: { type: "string", default: "300" },
    rounds: { type: "string", default: "6" },
    seconds: { type: "string", default: "5" },
  },
});
const [rate, rounds, seconds] = [Number(values.rate), Number(values.rounds), Number(values.seconds)];
const SENDERS = 20;

/** A server under load, and how long each of its sends took, in milliseconds. */
class Side {
  readonly name: string;
  readonly server: ChildServer;
  took: number[] = [];
  refused = 0;
  oldest = 0;
  readonly #clients: Client[] = [];

  constructor(name: string, env: Record<string, string>) {
    this.name = name;
    const all = { PARLEY_RATE_LIMITS: "off", ...env };
    this.server = new ChildServer(temporaryFolder(), freePort(), all);
  }

  async start(): Promise<void> {
    await this.server.start();
    for (let n = 0; n < SENDERS; n += 1) {
      const user = { username: `sender${n}`, password: "correct horse battery" };
      const answer = await new Client(this.server.url, {}).post("/api/auth/register", user);
      this.#clients.push(new Client(this.server.url, { cookie: cookieOf(answer) }));
    }
  }

  /** Sends for a round. */
  async run(): Promise<void> {
    const began = performance.now();
    const pending: Promise<void>[] = [];
    for (let sent = 0; sent < rate * seconds; sent += 1) {
      const due = began + (sent * 1_000) / rate;
      if (due > performance.now()) await Bun.sleep(due - performance.now());
      pending.push(this.#send(due, sent));
      if (sent % (rate / 2) === 0) this.oldest = Math.max(this.oldest, await this.age());
    }
    await Promise.all(pending);
  }

  /** Seconds that the replica is behind; 0 without one. */
  async age(): Promise<number> {
    const text = await (await fetch(`${this.server.url}/metrics`)).text();
    return Number(/^parley_replica_age_seconds (\S+)$/m.exec(text)?.[1] ?? 0);
  }

  async isOn(): Promise<boolean> {
    const text = await (await fetch(`${this.server.url}/metrics`)).text();
    return text.includes('parley_replica_state{state="on"} 1');
  }

  async #send(due: number, n: number): Promise<void> {
    const message = { channel_slug: "general", content: `message ${n}, about nothing in particular` };
    const answer = await this.#clients[n % SENDERS]?.post("/api/messages", message);
    if (answer?.status === 201) this.took.push(performance.now() - due);
    else this.refused += 1;
  }

  get figures(): string {
    const at = (share: number) => percentile(this.took, share).toFixed(1);
    return `${this.name}: ${this.took.length} sends, ${this.refused} refused, p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, p99.9 ${at(0.999)} ms`;
  }
}

const off = new Side("replica off", {});
const on = new Side("replica on", { PARLEY_REPLICA: temporaryFolder() });
await using _off = off.server;
await using _on = on.server;
for (const side of [off, on]) await side.start();
await eventually("the replica has its first snapshot", () => on.isOn());
// The first round warms up.
for (let round = 0; round <= rounds; round += 1) {
  for (const side of round % 2 === 0 ? [off, on] : [on, off]) await side.run();
  if (round === 0) for (const side of [off, on]) Object.assign(side, { took: [], refused: 0, oldest: 0 });
}
process.stdout.write(`${off.figures}\n${on.figures}\nthe replica was at most ${on.oldest.toFixed(2)} s behind\n`);
