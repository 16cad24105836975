import { Database } from "bun:sqlite";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../config.ts";
import { freePort } from "../servers/child-server.ts";
import { TestSocket } from "../servers/socket.ts";
import { eventually, signUp } from "../servers/test-server.ts";
import { isTraceWhole, readTrace, type Step, traced } from "./disk-trace.ts";
import { type Fate, LossyDisk } from "./lossy-disk.ts";
import type { Random } from "./random.ts";

const SCRIPT = join(import.meta.dir, "restless-server.ts");
const WRITERS = 6;
/** Moments without a response or sync are checked, too. */
const OTHER_MOMENTS = 0.06;

/**
 * Runs a server, lets writers write until this many messages are acknowledged, ends it in this way, and returns its
 * trace.
 */
export async function runTraced(
  folder: string,
  options: { acks: number; end: NodeJS.Signals; log: "synced" | "unsynced" },
): Promise<TracedRun> {
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

/** The steps of a server on its disk, and its answers. */
interface TracedRun {
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

/** Rebuilds the disk as a power loss at each moment of a run could leave it, and looks for what is lost. */
export class Replay {
  /** The messages that were acknowledged or shown so far, with their numbers. */
  readonly told = new Map<string, number>();
  readonly lost: string[] = [];
  images = 0;
  readonly #random: Random;
  readonly #disk: LossyDisk;
  readonly #folder = temporaryFolder();

  constructor(folder: string, random: Random) {
    this.#disk = new LossyDisk(folder);
    this.#random = random;
  }

  /** Cuts the power after each response that names a message, after each sync, and at other moments. */
  follow(steps: readonly Step[]): void {
    let isNews = false;
    steps.forEach((step, at) => {
      const isChange = this.#disk.take(step);
      if (step.is === "tell") {
        const told = toldIn(step.text);
        for (const [key, seq] of told) this.told.set(key, seq);
        // A thread that wakes another one writes, too, and a start does so thousands of times: that tells nobody anything.
        isNews ||= told.length > 0;
      }
      const isLastTold = isNews && step.is === "tell" && steps[at + 1]?.is !== "tell";
      if (isLastTold) {
        isNews = false;
        this.#cut("none of it");
      }
      if (isLastTold || (isChange && (step.is === "synced" || this.#random.next() < OTHER_MOMENTS)))
        this.#cut("some of it");
    });
    this.#cut("all of it");
    this.#disk.end();
  }

  #cut(fate: Fate): void {
    if (this.told.size === 0) return;
    const folder = join(this.#folder, String(++this.images));
    this.#disk.image(folder, fate, () => this.#random.next());
    this.lost.push(...problemsOf(join(folder, "parley.sqlite"), this.told).map((text) => `${fate}: ${text}`));
    rmSync(folder, { recursive: true });
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
