import { afterAll, expect, test } from "bun:test";
import { readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { cli } from "../support/cli.ts";
import { temporaryFolder } from "../support/config.ts";
import { writeExportZip } from "../support/imports/export-files.ts";
import {
  DAY,
  dayOf,
  SAMPLE_COUNTS,
  SAMPLE_LEFT_OUT,
  said,
  sampleExport,
  slackChannel,
  slackUser,
} from "../support/imports/slack-export.ts";

const folder = temporaryFolder();
afterAll(() => rmSync(folder, { recursive: true }));
const sample = await writeExportZip(join(folder, "sample.zip"), sampleExport());

interface Line {
  import_id: null;
  format: string;
  status: string;
  counts: Record<string, { taken: number; known: number; changed: number; left_out: number }>;
  left_out: { kind: string; reason: string; count: number; examples: string[] }[];
  report: string;
}

const data = (): string => join(temporaryFolder(), "data");
const run = (args: readonly string[], dataDir = data()) =>
  cli(["import", "slack", ...args], { PARLEY_DATA_DIR: dataDir });

async function dryRun(...args: readonly string[]): Promise<Line> {
  const { code, out, err } = await run([sample, "--dry-run", "--json", ...args]);
  expect({ code, err }).toEqual({
    code: 0,
    err: expect.stringMatching(/^Read \d+ messages in [\d.]+ s \(\d+ a second\)\.\n$/),
  });
  expect(out.trimEnd().split("\n")).toHaveLength(1);
  return JSON.parse(out) as Line;
}

const takenOf = ({ counts }: Line): Record<string, number> =>
  Object.fromEntries(Object.entries(counts).map(([name, { taken }]) => [name, taken]));
const leftOutOf = ({ left_out }: Line): Record<string, number> =>
  Object.fromEntries(left_out.map(({ kind, reason, count }) => [`${kind} ${reason}`, count]));

test("a dry run counts everything, and leaves a report and a proposal that only this user may read", async () => {
  const line = await dryRun("--channels", "all", "--with-files");
  expect(line).toMatchObject({ import_id: null, format: "slack", status: "dry_run" });
  expect(takenOf(line)).toEqual(SAMPLE_COUNTS);
  expect(leftOutOf(line)).toEqual(SAMPLE_LEFT_OUT);
  expect(line.counts.messages).toMatchObject({ known: 0, left_out: 1 });
  const report = JSON.parse(readFileSync(line.report, "utf8"));
  expect(report).toMatchObject(line);
  expect(report.users).toContainEqual({ source_id: "U7GONE", source_name: "gus", username: "gus", state: "suspended" });
  expect(report.agents).toContainEqual({ source_id: "B9HOOK", agent_name: "alerts" });
  expect(report.channels).toContainEqual({
    source_id: "C1GENERAL",
    source_name: "general",
    kind: "public",
    channel_id: null,
    channel_slug: null,
    messages: 13,
  });
  expect(readdirSync(dirname(line.report)).toSorted()).toEqual(["report.json", "users.csv"]);
  expect(statSync(line.report).mode & 0o777).toBe(0o600);
  expect(readFileSync(line.report, "utf8")).not.toContain("xoxe");
  expect(readFileSync(join(dirname(line.report), "users.csv"), "utf8")).toBe(
    `source_id,source_name,email,username,action
U1ADA,ada,ada@example.org,ada,new
U2BEN,ben,ben@example.org,ben,new
U3CORA,cora,,cora,new
U4BOT,deploybot,,,agent
B9HOOK,alerts,,,agent
U7GONE,gus,,gus,new
`,
  );
});

test("a dry run makes no database", async () => {
  const dataDir = data();
  expect((await run([sample, "--dry-run"], dataDir)).code).toBe(0);
  expect(readdirSync(dataDir)).toEqual(["imports"]);
});

test("only public channels are taken unless others are chosen, and files only if they are asked for", async () => {
  const line = await dryRun();
  expect(takenOf(line)).toMatchObject({ channels: 2, messages: 14, files: 0 });
  expect(leftOutOf(line)).toEqual({
    ...SAMPLE_LEFT_OUT,
    "channel not_chosen": 1,
    "direct not_chosen": 2,
    "file not_asked": 1,
  });
});

test.each([
  ["private", 1, 1],
  ["direct", 2, 2],
  ["public,-general", 1, 1],
  ["#random,secret=hidden", 2, 2],
  ["all,-D1AB", 4, 16],
])("--channels %s takes %i channels", async (list, channels, messages) => {
  expect(takenOf(await dryRun("--channels", list))).toMatchObject({ channels, messages });
});

test("a new slug is in the report", async () => {
  const { report } = await dryRun("--channels", "random=lobby");
  const { channels } = JSON.parse(readFileSync(report, "utf8"));
  expect(channels).toMatchObject([{ source_id: "C2RANDOM", channel_slug: "lobby" }]);
});

test("--since leaves out what is older", async () => {
  const line = await dryRun("--since", "2024-03-02");
  expect(takenOf(line)).toMatchObject({ messages: 6 });
  expect(leftOutOf(line)).toMatchObject({ "message before_since": 8 });
});

test("the summary says what the export lacks, and that guests read along, first", async () => {
  const { out } = await run([sample, "--dry-run"]);
  expect(out).toMatch(
    /^Guests can read public channels of this server[^\n]+\nPARLEY_PUBLIC_URL is not set[^\n]+\n\nThe export has no pictures of custom emoji/,
  );
  expect(out).toMatch(/\n {2}messages +14\n/);
  expect(out).toMatch(/\n {2}system_message \(channel_join\) +2 {2}C1GENERAL/);
  expect(out).toContain("Something is wrong with 1 messages, more than 1 % of all");
  const closed = await cli(["import", "slack", sample, "--dry-run"], {
    PARLEY_DATA_DIR: data(),
    PARLEY_GUEST_READ: "false",
  });
  expect(closed.out).not.toContain("Guests");
});

test("two people with like handles get two usernames", async () => {
  const users = ["Ann", "ann", "ann-2", "日本", "x".repeat(80)].map((name, at) => slackUser(`U${at}`, name));
  const path = await writeExportZip(join(folder, "names.zip"), { "users.json": users, "channels.json": [] });
  const { out } = await run([path, "--dry-run", "--json"]);
  const report = JSON.parse(readFileSync((JSON.parse(out) as Line).report, "utf8"));
  const names = report.users.map(({ username }: { username: string }) => username.toLowerCase());
  expect(names.slice(0, 3)).toEqual(["ann", "ann-2", "ann-2-2"]);
  expect(new Set(names).size).toBe(5);
});

test.each([
  [["--dry-run"], "<file or folder> is missing"],
  [[sample, "--dry-run", "--since", "last week"], "--since takes a date"],
  [[sample, "--dry-run", "--max-size", "much"], "--max-size takes a number of GiB"],
  [[sample, "--dry-run", "--channels", "a=B c"], "gives a channel no valid slug"],
])("the usage %p is invalid", async (args, reason) => {
  const { code, err } = await run(args);
  expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining(reason) });
});

test("what cannot be read ends with one sentence, and leaves nothing", async () => {
  const broken = join(folder, "broken.zip");
  await writeFile(broken, readFileSync(sample).subarray(0, 2000));
  const dataDir = data();
  const { code, err, out } = await run([broken, "--dry-run"], dataDir);
  expect({ code, out }).toEqual({ code: 1, out: "" });
  expect(err.trimEnd().split("\n")).toHaveLength(1);
  expect(err).toContain("is cut off or damaged");
  const day = `general/${dayOf(DAY)}`;
  const invalid = await writeExportZip(join(folder, "invalid.zip"), {
    "channels.json": [slackChannel("C1", "general", [])],
    [`general/${dayOf(0)}`]: [said("U1", 1, "x")],
    [day]: new TextEncoder().encode('[{"ts":}]'),
  });
  const second = await run([invalid, "--dry-run"], dataDir);
  expect(second.code).toBe(1);
  expect(second.err).toContain(`"${day}" is invalid: the value at byte 1 is no JSON`);
  expect(readdirSync(join(dataDir, "imports", "dry-run"))).toEqual([]);
});

test("a channel that the export does not have is named", async () => {
  const { code, err } = await run([sample, "--dry-run", "--channels", "public,nowhere"]);
  expect({ code, err }).toEqual({ code: 1, err: 'The export has no channel named "nowhere". Check --channels.\n' });
});
