/**
 * `node_modules/.bin/bun bench/import-beside.ts [--rate 500] [--messages 100000] [database URL]`: how long sends take at a
 * steady rate while an import is written beside the server (protocol §14.1), and before it. Each send begins at its own
 * time, whether or not earlier ones have ended. Server, import and senders are processes of their own, as they are for an operator.
 */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { temporaryFolder } from "../packages/server/test/support/config.ts";
import { ChildServer, freePort } from "../packages/server/test/support/servers/child-server.ts";
import { serverMain } from "../packages/server/test/support/servers/server-main.ts";
import { Client, cookieOf } from "../packages/server/test/support/servers/test-server.ts";
import { percentile } from "./statistics.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { rate: { type: "string", default: "500" }, messages: { type: "string", default: "100000" } },
});
const [rate, messages] = [Number(values.rate), Number(values.messages)];
const [url] = positionals;
const QUIET_MS = 10_000;
const SENDERS = 50;

/** Writes an export of Slack with so many plain messages. */
async function writeExport(folder: string): Promise<void> {
  await mkdir(join(folder, "old"), { recursive: true });
  const users = Array.from({ length: 50 }, (_, n) => ({ id: `U${n}`, name: `person${n}`, team_id: "T1", profile: {} }));
  await writeFile(join(folder, "users.json"), JSON.stringify(users));
  await writeFile(join(folder, "channels.json"), JSON.stringify([{ id: "C1", name: "old", members: ["U1"] }]));
  const records = Array.from({ length: messages }, (_, n) => ({
    type: "message",
    user: `U${n % 50}`,
    ts: `${1_600_000_000 + n}.000100`,
    text: `This is the message number ${n}, about nothing in particular`,
  }));
  await writeFile(join(folder, "old", "2020-09-13.json"), JSON.stringify(records));
}

/** Sends at the steady rate until it is stopped, and keeps how long each send took, in milliseconds. */
class Load {
  readonly took: number[] = [];
  refused = 0;
  #isOver = false;
  readonly #clients: readonly Client[];

  constructor(clients: readonly Client[]) {
    this.#clients = clients;
  }

  async run(): Promise<void> {
    const began = performance.now();
    const pending = new Set<Promise<void>>();
    for (let sent = 0; !this.#isOver; sent += 1) {
      const due = began + (sent * 1_000) / rate;
      if (due > performance.now()) await Bun.sleep(due - performance.now());
      const one = this.#send(due, sent).finally(() => pending.delete(one));
      pending.add(one);
    }
    await Promise.all(pending);
  }

  stop(): void {
    this.#isOver = true;
  }

  async #send(due: number, n: number): Promise<void> {
    const client = this.#clients[n % SENDERS];
    const answer = await client?.post("/api/messages", { channel_slug: "general", content: `message ${n}` });
    if (answer?.status === 201) this.took.push(performance.now() - due);
    else this.refused += 1;
  }
}

const figures = (name: string, took: readonly number[], refused: number): string => {
  const at = (share: number) => percentile(took, share).toFixed(1);
  return `${name}: ${took.length} sends, ${refused} refused, p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, p99.9 ${at(0.999)} ms`;
};

const data = temporaryFolder();
const env = { PARLEY_DATA_DIR: data, PARLEY_RATE_LIMITS: "off", ...(url === undefined ? {} : { DATABASE_URL: url }) };
await using server = new ChildServer(data, await freePort(), env);
await server.start();
const clients: Client[] = [];
for (let n = 0; n < SENDERS; n += 1) {
  const answer = await new Client(server.url, {}).post("/api/auth/register", {
    username: `sender${n}`,
    password: "correct horse battery",
  });
  clients.push(new Client(server.url, { cookie: cookieOf(answer) }));
}
const folder = join(data, "export");
await writeExport(folder);
const load = new Load(clients);
const running = load.run();
await Bun.sleep(QUIET_MS);
const quiet = load.took.splice(0);
const began = performance.now();
const child = Bun.spawn([process.execPath, serverMain(), "import", "slack", folder, "--yes", "--json"], {
  env: { ...process.env, ...env },
  stdout: "pipe",
  stderr: "ignore",
});
const code = await child.exited;
const seconds = (performance.now() - began) / 1_000;
load.stop();
await running;
process.stdout.write(
  `${figures("before", quiet, 0)}\n${figures("beside the import", load.took, load.refused)}\nimport: ended with ${code}, ${messages} messages in ${seconds.toFixed(1)} s\n`,
);
