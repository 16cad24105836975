import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../support/config.ts";
import { isTraceWhole, problemOfTracing, readTrace, type Step, traced } from "../support/faults/disk-trace.ts";
import { type Fate, LossyDisk } from "../support/faults/lossy-disk.ts";
import { freePort } from "../support/servers/child-server.ts";
import { TestSocket } from "../support/servers/socket.ts";
import { eventually, signUp } from "../support/servers/test-server.ts";

/**
 * Guarantees P2: nothing that a server has acknowledged is lost in a power loss. The order of writes, syncs and
 * responses is taken from the kernel; then the disk is built as it could be found after a power loss at any of these
 * moments.
 */
const SCRIPT = join(import.meta.dir, "../support/faults/restless-server.ts");
const WRITERS = 6;
/** Messages that are acknowledged in each run; about as many disk images are checked. */
const ACKS = Number(process.env.PARLEY_TEST_POWER_ACKS ?? 120);
/** As many moments without a response or sync are checked, too. */
const OTHER_MOMENTS = 0.06;

const problem = problemOfTracing();
if (problem !== null)
  console.error(`\n!! No process can be traced, the tests of power losses are SKIPPED (${problem})\n`);
if (problem !== null && (process.env.CI === "true" || process.env.PARLEY_REQUIRE_SERVICES === "1"))
  test("a process can be traced", () => expect(problem).toBeNull());

/**
 * Runs a server, lets writers write until this many messages are acknowledged, ends it in this way, and returns its
 * trace.
 */
async function run(
  folder: string,
  options: { acks: number; end: NodeJS.Signals; log: "synced" | "unsynced" },
): Promise<Run> {
  const { acks, end, log } = options;
  const file = join(temporaryFolder(), "trace");
  const port = freePort();
  const child = Bun.spawn(traced(file, [process.execPath, SCRIPT, folder, String(port), log]));
  const url = `http://127.0.0.1:${port}`;
  await eventually(
    "it answers",
    () =>
      fetch(`${url}/livez`).then(
        ({ ok }) => ok,
        () => false,
      ),
    20_000,
  );
  const username = `ann-${port}`;
  const ann = await signUp(url, username);
  // Events count as responses, too.
  using socket = await TestSocket.open(url);
  await socket.command("channel:join", { channel_slug: "general" });
  const acked = new Map<string, number>();
  const write = async (writer: number): Promise<void> => {
    for (let n = 0; ; n++) {
      const key = `${port}-${writer}-${n}`;
      const body = { channel_slug: "general", content: key, client_msg_id: key };
      const answer = await ann.post("/api/messages", body).catch(() => null);
      if (answer?.status !== 201) return;
      acked.set(key, answer.body.seq);
      if (acked.size === acks) child.kill(end);
    }
  };
  await Promise.all(Array.from({ length: WRITERS }, (_, writer) => write(writer)));
  await child.exited;
  await eventually("all of it is written down", () => isTraceWhole(file), 20_000);
  return { steps: readTrace(file), acked };
}

interface Run {
  steps: Step[];
  acked: ReadonlyMap<string, number>;
}

/** Returns the messages named in a piece of a response or event, with their numbers. */
function toldIn(text: string): [key: string, seq: number][] {
  return [...text.matchAll(/"seq":(\d+)[^{}]*?"client_msg_id":"([^"]+)"/g)].map(([, seq, key = ""]) => [
    key,
    Number(seq),
  ]);
}

class Replay {
  readonly told = new Map<string, number>();
  readonly lost: string[] = [];
  images = 0;
  #seed: number;
  readonly #disk: LossyDisk;
  readonly #folder = temporaryFolder();

  constructor(folder: string, seed: number) {
    this.#disk = new LossyDisk(folder);
    this.#seed = seed;
  }

  /** Cuts the power after each response and sync, and at other moments. */
  follow(steps: readonly Step[]): void {
    steps.forEach((step, at) => {
      const isChange = this.#disk.take(step);
      if (step.is === "tell") for (const [key, seq] of toldIn(step.text)) this.told.set(key, seq);
      const isLastTold = step.is === "tell" && steps[at + 1]?.is !== "tell" && this.told.size > 0;
      if (isLastTold) this.#cut("none of it");
      if (isLastTold || (isChange && (step.is === "synced" || this.#chance() < OTHER_MOMENTS))) this.#cut("some of it");
    });
    this.#cut("all of it");
    this.#disk.end();
  }

  #cut(fate: Fate): void {
    if (this.told.size === 0) return;
    const folder = join(this.#folder, String(++this.images));
    this.#disk.image(folder, fate, () => this.#chance());
    this.lost.push(...problemsOf(join(folder, "parley.sqlite"), this.told).map((text) => `${fate}: ${text}`));
    rmSync(folder, { recursive: true });
  }

  /** From 0 to 1: a Lehmer generator, so that a seed can be tried again. */
  #chance(): number {
    this.#seed = (this.#seed * 48_271) % 2_147_483_647;
    return this.#seed / 2_147_483_647;
  }
}

/** Returns the first problem that a server would find in the image. */
function problemsOf(file: string, told: ReadonlyMap<string, number>): string[] {
  try {
    using database = new Database(file, { create: false, readwrite: true });
    const check = database.query<{ integrity_check: string }, []>("pragma integrity_check").get()?.integrity_check;
    if (check !== "ok") return [String(check)];
    const rows = database
      .query<{ key: string; seq: number }, []>("select client_msg_id as key, seq from messages order by seq")
      .all();
    const stored = new Map(rows.map(({ key, seq }) => [key, seq]));
    for (const [key, seq] of told) if (stored.get(key) !== seq) return [`${key} is ${stored.get(key)}, not ${seq}`];
    return rows.every(({ seq }, index) => seq === index + 1) ? [] : ["there is a gap"];
  } catch (error) {
    return [String(error)];
  }
}

describe.skipIf(problem !== null)("a power loss", () => {
  test(
    "at any moment loses nothing that was acknowledged, and damages nothing",
    async () => {
      const folder = temporaryFolder();
      const seed = 1 + (Date.now() % 1_000_000);
      // The first run ends normally, with the log copied back and removed; the second starts a new log and is cut off.
      const runs = [
        await run(folder, { acks: ACKS, end: "SIGTERM", log: "synced" }),
        await run(folder, { acks: ACKS, end: "SIGKILL", log: "synced" }),
      ];
      const replay = new Replay(folder, seed);
      for (const { steps, acked } of runs) {
        replay.follow(steps);
        for (const [key, seq] of acked) expect([key, replay.told.get(key)]).toEqual([key, seq]);
      }
      const { images, lost, told } = replay;
      console.log(JSON.stringify({ seed, images, told: told.size, lost: lost.length }));
      expect(lost.slice(0, 3)).toEqual([]);
      expect(images).toBeGreaterThan(100);
    },
    60_000 + ACKS * 100,
  );

  test("is detected here if the log is not synced before the response", async () => {
    const folder = temporaryFolder();
    const { steps } = await run(folder, { acks: 30, end: "SIGKILL", log: "unsynced" });
    const replay = new Replay(folder, 1);
    replay.follow(steps);
    expect(replay.lost.length).toBeGreaterThan(0);
  }, 60_000);
});
