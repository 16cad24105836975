import { expect } from "bun:test";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { SourceFormat } from "../../../src/imports/source.ts";
import { type CliResult, cli } from "../../support/cli.ts";
import type { Scenario } from "../../support/cluster/scenario.ts";
import { temporaryFolder } from "../../support/config.ts";
import { Random } from "../../support/faults/random.ts";
import { NASTY_TEXT } from "../../support/fuzz/arbitrary.ts";
import { type Change, mutate } from "../../support/fuzz/mutate.ts";
import * as discord from "../../support/imports/discord-export.ts";
import { bytesOf } from "../../support/imports/export-files.ts";
import * as mattermost from "../../support/imports/mattermost-export.ts";
import * as rocketChat from "../../support/imports/rocketchat-export.ts";
import * as slack from "../../support/imports/slack-export.ts";
import * as telegram from "../../support/imports/telegram-export.ts";
import { zipOf } from "../../support/imports/zip-writer.ts";
import * as zulip from "../../support/imports/zulip-export.ts";
import { serverMain } from "../../support/servers/server-main.ts";

const PEAK = join(import.meta.dir, "../../support/faults/peak-memory.ts");
const SECONDS_MAX = 10;
const MEMORY_MAX = 256 * 1024 * 1024;
/** Every so many runs are in a process of their own, whose memory is measured. */
const MEASURED = 20;
/** A format whose damaged exports are read. */
interface Damaged {
  format: SourceFormat;
  /** The files of an export that has some of everything: values that are changed, or bytes. */
  sample(): Record<string, unknown>;
  bytesOf(value: unknown): Uint8Array;
  /** Ids, times and words that its sample has. */
  strange: readonly unknown[];
}

const FORMATS: readonly Damaged[] = [
  {
    format: "slack",
    sample: slack.sampleExport,
    bytesOf,
    strange: [
      ...["U1ADA", "U2BEN", "B4BOT", "C1GENERAL", "D1AB", "general", "tombstone", "bot_message", "<@U1ADA|"],
      ...[slack.ts(60), slack.ts(120), slack.ts(30), "-1.000000", "9".repeat(30)],
    ],
  },
  {
    format: "mattermost",
    sample: mattermost.sampleExport,
    bytesOf: (value) => mattermost.bytesOf(Array.isArray(value) || value instanceof Uint8Array ? value : [value]),
    strange: [
      ...[
        "post",
        "direct_post",
        "user",
        "core",
        "general",
        "ada",
        "system_x",
        "../import.jsonl",
        "@ada ~general :tada:",
      ],
      ...[mattermost.at(60), mattermost.at(240), 0, -1, 9e15, ["ada", "ben"], { username: "ada" }],
    ],
  },
  {
    format: "discord",
    sample: discord.sampleExport,
    bytesOf,
    strange: [
      "Default",
      "Reply",
      "ThreadCreated",
      "GuildPublicThread",
      "DirectTextChat",
      discord.idAt(60),
      "<@1>",
      "-1",
    ],
  },
  {
    format: "zulip",
    sample: zulip.sampleExport,
    bytesOf,
    strange: [
      zulip.TO_STREAM,
      zulip.TO_PERSON,
      zulip.TO_HUDDLE,
      1,
      2,
      3,
      zulip.UPLOAD,
      "@**ada|1**",
      "```quote",
      "✔ tea",
    ],
  },
  {
    format: "telegram",
    sample: telegram.sampleExport,
    bytesOf,
    strange: ["message", "service", "topic_created", "pin_message", "user1", "channel1", "bold", "2024-03-01T09:00:00"],
  },
  {
    format: "rocketchat",
    sample: rocketChat.sampleDump,
    bytesOf: bsonBytes,
    strange: ["c", "p", "d", "l", "rm", "e2e", "uj", "GENERAL", ":smile:", new Date(Number.NaN), new Date(0)],
  },
];
/** What is no list of documents any more is no BSON either. */
function bsonBytes(value: unknown): Uint8Array {
  if (value instanceof Uint8Array) return value;
  try {
    return rocketChat.bsonOf(Array.isArray(value) ? value : [value]);
  } catch {
    return bytesOf(value);
  }
}

/** Values that have broken servers. */
const STRANGE: readonly unknown[] = [
  ...[null, true, -1, 1.5, 1e308, 2 ** 53, [], {}, [[[]]], { a: { b: {} } }, "*_~`<>&:"],
  ...NASTY_TEXT,
];

/** §14.8: whatever an export has become, reading it ends with a report or with one sentence, soon, in little memory. */
export const damagedExports: Scenario<{ runs: number; seed: number }> = {
  name: "damaged-exports",
  title: "reading a damaged export ends with a report or with one sentence",
  short: { runs: 60, seed: 0 },
  long: { runs: 1_000, seed: 0 },
  async run({ runs, seed }, say) {
    const random = new Random(seed);
    const [folder, data] = [temporaryFolder(), temporaryFolder()];
    // Made before anything is timed.
    serverMain();
    const figures = { runs, seed, read: 0, refused: 0, seconds_max: 0, memory_max_mib: 0 };
    for (let run = 1; run <= runs; run += 1) {
      const damaged = formatOf(run);
      const path = join(folder, "export.zip");
      await writeFile(path, damage(damaged, random));
      const args = ["import", damaged.format, path, "--dry-run", "--json", "--channels", "all"];
      const startedAt = performance.now();
      const { memory, ...result } = await runOnce(args, data, run % MEASURED === 0);
      const seconds = (performance.now() - startedAt) / 1_000;
      judge(result);
      expect(seconds).toBeLessThan(SECONDS_MAX);
      expect(memory).toBeLessThanOrEqual(MEMORY_MAX);
      figures[result.code === 0 ? "read" : "refused"] += 1;
      figures.seconds_max = Math.max(figures.seconds_max, Math.round(seconds * 1_000) / 1_000);
      figures.memory_max_mib = Math.max(figures.memory_max_mib, Math.round(memory / 1024 / 1024));
      if (run % 100 === 0) say(`${run} runs: ${figures.read} read, ${figures.refused} refused`);
    }
    return figures;
  },
};

/** Returns the format of a run. Each is measured in its turn, too. */
function formatOf(run: number): Damaged {
  const format = FORMATS[(run + Math.floor(run / MEASURED)) % FORMATS.length];
  if (format === undefined) throw new Error("there is no format");
  return format;
}

/** Runs the command here, or in a process of its own; then with the most memory that it had. */
async function runOnce(args: string[], data: string, isMeasured: boolean): Promise<CliResult & { memory: number }> {
  const env = { PARLEY_DATA_DIR: data };
  if (!isMeasured) return { ...(await cli(args, env)), memory: 0 };
  const peak = join(data, "peak");
  const child = Bun.spawn([process.execPath, "--preload", PEAK, serverMain(), ...args], {
    env: { PATH: process.env.PATH ?? "", ...env, PEAK_FILE: peak },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  await child.exited;
  return { code: child.exitCode, out, err, memory: Number(await readFile(peak, "utf8")) * 1024 };
}

function judge({ code, out, err }: CliResult): void {
  const lines = err.trimEnd().split("\n");
  if (code === 0) expect(JSON.parse(out)).toMatchObject({ status: "dry_run", import_id: null });
  else
    expect({ code, out, lines: lines.length, err }).toEqual({
      code: 1,
      out: "",
      lines: 1,
      err: expect.stringMatching(/\.$/m),
    });
  expect(err).not.toContain("unexpected error");
}

/** Returns a ZIP of the sample, of which the values, the bytes of a file or those of the archive are changed. */
function damage({ sample, bytesOf, strange }: Damaged, random: Random): Uint8Array {
  const files = sample();
  const values = [...strange, ...STRANGE];
  const names = Object.keys(files);
  const nameOf = (): string => names[random.below(names.length)] ?? "";
  const kind = random.below(10);
  if (kind < 6) for (let left = 1 + random.below(8); left > 0; left -= 1) changeValue(files, nameOf(), values, random);
  const entries = Object.entries(files).map(([name, value]) => ({ name, bytes: Uint8Array.from(bytesOf(value)) }));
  if (kind === 6 || kind === 7) changeBytes(entries[random.below(entries.length)]?.bytes ?? new Uint8Array(), random);
  const zip = Uint8Array.from(zipOf(entries));
  if (kind === 8) changeBytes(zip, random);
  return kind === 9 ? zip.subarray(0, random.below(zip.length)) : zip;
}

function changeValue(files: Record<string, unknown>, name: string, values: readonly unknown[], random: Random): void {
  if (files[name] instanceof Uint8Array) return;
  const acts: Change["act"][] = [
    { kind: "remove" },
    { kind: "put", value: values[random.below(values.length)] },
    { kind: "put", value: values[random.below(values.length)] },
    { kind: "digit", at: random.below(1_000) },
  ];
  files[name] = mutate(files[name], {
    place: random.below(1e9),
    act: acts[random.below(acts.length)] ?? { kind: "remove" },
  });
}

function changeBytes(bytes: Uint8Array, random: Random): void {
  for (let left = 1 + random.below(4); left > 0; left -= 1) bytes[random.below(bytes.length)] = random.below(256);
}
