import { expect } from "bun:test";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { allMessages } from "../../support/all-messages.ts";
import { cliProcess } from "../../support/cli.ts";
import type { Scenario } from "../../support/cluster/scenario.ts";
import { temporaryFolder } from "../../support/config.ts";
import { Random } from "../../support/faults/random.ts";
import { ChildServer, freePort } from "../../support/servers/child-server.ts";
import { TestSocket } from "../../support/servers/socket.ts";
import { Client, eventually, signUp } from "../../support/servers/test-server.ts";

const WRITERS = 4;
/** The promise: nothing that was acknowledged earlier than this before the loss is lost. */
const PROMISE_MS = 1_000;
/** A chain that was left is followed by another one after a minute (`CHAIN_PAUSE_MS`). */
const COVERED_MS = 90_000;

interface Acked {
  seq: number;
  at: number;
}

/**
 * Guarantee P30: the server is killed under load, its disk is lost, and it is restored from the replica, again and again.
 * At most the messages of the last second are lost, none is moved or doubled, and the epoch changes.
 */
export const lostDisk: Scenario<{ seed: number; losses: number }> = {
  name: "lost-disk",
  title: "a kill and the loss of the disk cost at most a second of messages, and move or double none",
  short: { seed: 0, losses: 3 },
  long: { seed: 0, losses: 100 },
  async run({ seed, losses }, say) {
    const random = new Random(seed);
    const home = temporaryFolder();
    const [data, replica] = [join(home, "data"), join(home, "replica")];
    const env = { PARLEY_REPLICA: replica, PARLEY_RATE_LIMITS: "off" };
    await using server = new ChildServer(data, freePort(), env);
    await server.start();
    const writers = await Promise.all(Array.from({ length: WRITERS }, (_, n) => signUp(server.url, `writer${n}`)));
    const acked = new Map<string, Acked>();
    const figures = { acked: 0, lost: 0, oldestLostMs: 0, stored: 0 };
    let epoch = await epochOf(server.url);
    for (let loss = 0; loss < losses; loss += 1) {
      await eventually("the replica has a snapshot", () => isCovered(server.url), COVERED_MS);
      const load = new Load(server.url, writers, `${loss}`, acked);
      await new Promise((resolve) => setTimeout(resolve, 300 + random.below(2_500)));
      const killedAt = performance.now();
      await server.end("SIGKILL");
      await load.ended;
      rmSync(data, { recursive: true });
      const restored = await cliProcess(["restore", "--at", "newest"], { PARLEY_DATA_DIR: data, ...env });
      expect({ loss, ...restored }).toMatchObject({ code: 0 });
      await server.start();
      const next = await epochOf(server.url);
      expect(next).not.toBe(epoch);
      epoch = next;
      figures.acked = figures.acked + load.count;
      const { stored, lost } = await judge(new Client(server.url), acked);
      figures.stored = stored;
      for (const key of lost) {
        const age = killedAt - (acked.get(key)?.at ?? 0);
        figures.lost += 1;
        figures.oldestLostMs = Math.max(figures.oldestLostMs, Math.round(age));
        acked.delete(key);
      }
      expect({ loss, oldestLostMs: figures.oldestLostMs }).toEqual({ loss, oldestLostMs: expect.any(Number) });
      expect(figures.oldestLostMs).toBeLessThanOrEqual(PROMISE_MS);
      if (loss % 10 === 9) say(`${loss + 1} losses: ${JSON.stringify(figures)}`);
    }
    return { seed, losses, ...figures, moved: 0, duplicates: 0 };
  },
};

/** Compares the stored messages with the acknowledged ones. Throws if one is doubled or moved. Returns the missing keys. */
async function judge(
  client: Client,
  acked: ReadonlyMap<string, Acked>,
): Promise<{ stored: number; lost: readonly string[] }> {
  const stored: { seq: number; client_msg_id: string | null }[] = await allMessages(client);
  const seqs = new Map<string, number>();
  const doubled: string[] = [];
  for (const { seq, client_msg_id: key } of stored) {
    if (key === null) continue;
    if (seqs.has(key)) doubled.push(key);
    seqs.set(key, seq);
  }
  const moved = [...acked].filter(([key, { seq }]) => seqs.has(key) && seqs.get(key) !== seq);
  expect({ doubled, moved }).toEqual({ doubled: [], moved: [] });
  return { stored: stored.length, lost: [...acked.keys()].filter((key) => !seqs.has(key)) };
}

/** Sends over REST and sockets until the server is gone. */
class Load {
  readonly ended: Promise<unknown>;
  count = 0;

  constructor(url: string, writers: readonly Client[], round: string, acked: Map<string, Acked>) {
    this.ended = Promise.all(writers.map((client, writer) => this.#write(url, client, `${round}-${writer}`, acked)));
  }

  async #write(url: string, client: Client, name: string, acked: Map<string, Acked>): Promise<void> {
    const socket = await TestSocket.open(url, client.credential).catch(() => null);
    for (let n = 0; ; n += 1) {
      const key = `${name}-${n}`;
      const message = {
        channel_slug: "general",
        content: `${key} ${"x".repeat((n * 37) % 2_000)}`,
        client_msg_id: key,
      };
      try {
        const seq = n % 2 === 0 ? await overRest(client, message) : await overSocket(socket, message);
        acked.set(key, { seq, at: performance.now() });
        this.count += 1;
      } catch (error) {
        if (!(await isGone(url))) throw error;
        socket?.terminate();
        return;
      }
    }
  }
}

async function overRest(client: Client, message: object): Promise<number> {
  const { status, body } = await client.post("/api/messages", message);
  if (status !== 201) throw new Error(`${status} ${JSON.stringify(body)}`);
  return body.seq;
}

async function overSocket(socket: TestSocket | null, message: object): Promise<number> {
  if (socket === null) throw new Error("The socket did not open.");
  const { event, data } = await socket.command("message:send", message);
  if (event !== "ack") throw new Error(`The socket answered ${JSON.stringify(data)}`);
  return data.seq;
}

const isGone = (url: string): Promise<boolean> =>
  fetch(`${url}/livez`).then(
    () => false,
    () => true,
  );

/** True once the promise holds: a new chain has none before its first snapshot is complete. */
async function isCovered(url: string): Promise<boolean> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return /^parley_replica_state\{state="on"\} 1$/m.test(text);
}

async function epochOf(url: string): Promise<string> {
  const socket = await TestSocket.open(url);
  try {
    return (await socket.next(({ event }) => event === "session:ready")).data.epoch;
  } finally {
    socket.terminate();
  }
}
