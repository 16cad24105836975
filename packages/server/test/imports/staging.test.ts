import { afterAll, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { slack } from "../../src/imports/sources/slack/format.ts";
import { stageExport } from "../../src/imports/stage/stage-export.ts";
import type { CountedStage } from "../../src/imports/stage.ts";
import { wordsOf } from "../../src/imports/tree-words.ts";
import { temporaryFolder } from "../support/config.ts";
import { writeExportZip } from "../support/imports/export-files.ts";
import { openExportAt } from "../support/imports/open-export.ts";
import {
  BEGIN,
  DAY,
  dayOf,
  SAMPLE_COUNTS,
  SAMPLE_LEFT_OUT,
  type SlackExport,
  said,
  sampleExport,
  slackChannel,
  slackUser,
  ts,
} from "../support/imports/slack-export.ts";

const folder = temporaryFolder();
afterAll(() => rm(folder, { recursive: true }));
let written = 0;

function newPath(ending: string): string {
  written += 1;
  return join(folder, `${written}.${ending}`);
}

async function stageOf(files: SlackExport, path = newPath("sqlite")): Promise<CountedStage> {
  await using source = await openExportAt(
    await writeExportZip(newPath("zip"), files),
    slack,
    (BEGIN + 30 * DAY) * 1000,
  );
  return await stageExport(source, path, () => {});
}

const channelWith = (records: readonly unknown[]): SlackExport => ({
  "users.json": [slackUser("U1", "ada")],
  "channels.json": [slackChannel("C1", "general", ["U1"])],
  [`general/${dayOf(0)}`]: records,
});

const leftOutOf = (stage: CountedStage): Record<string, number> =>
  Object.fromEntries(stage.leftOut().map(({ kind, reason, count }) => [`${kind} ${reason}`, count]));

test("counts what the sample has", async () => {
  await using stage = await stageOf(sampleExport());
  const { filesHere, ...counts } = stage.counts();
  expect({ ...counts, files: filesHere.count }).toMatchObject(SAMPLE_COUNTS);
  expect(leftOutOf(stage)).toEqual(SAMPLE_LEFT_OUT);
  expect(stage.users().map(({ name }) => name)).toEqual(["ada", "ben", "cora", "deploybot", "alerts", "gus"]);
  expect(stage.channels()).toHaveLength(SAMPLE_COUNTS.channels);
  expect(stage.size).toBe(SAMPLE_COUNTS.messages);
});

test("gives messages in the order of time over all channels, a page at a time", async () => {
  await using stage = await stageOf(sampleExport());
  const messages = [];
  for (let after = 0; ; ) {
    const page = stage.messagesAfter(after, 4);
    if (page.length === 0) break;
    messages.push(...page);
    after = page.at(-1)?.place ?? after;
  }
  expect(messages.map(({ place }) => place)).toEqual(messages.map((_, at) => at + 1));
  expect(messages.map(({ at }) => at)).toEqual(messages.map(({ at }) => at).toSorted((one, other) => one - other));
  expect(messages.map(({ channelId }) => channelId).slice(0, 5)).toEqual([
    "C1GENERAL",
    "C2RANDOM",
    "G1SECRET",
    "D1AB",
    "G2GROUP",
  ]);
  const [first] = messages;
  expect(stage.message(first?.id ?? "")).toEqual(first ?? null);
  expect(stage.message("C1GENERAL/0")).toBeNull();
});

test("messages of one millisecond keep their microseconds' order, then the source's", async () => {
  const at = (micros: number, text: string) => ({ ...said("U1", 0, text), ts: ts(0, micros) });
  await using stage = await stageOf(channelWith([at(300, "c"), at(100, "a"), at(200, "b"), at(1100, "d")]));
  expect(stage.messagesAfter(0, 10).map(({ text }) => wordsOf(text))).toEqual(["a", "b", "c", "d"]);
});

test("two messages with one ts are two, and the same one twice is one", async () => {
  await using stage = await stageOf(
    channelWith([said("U1", 1, "a"), said("U1", 1, "b"), said("U1", 1, "a"), said("U1", 1, "b")]),
  );
  expect(stage.messagesAfter(0, 10).map(({ id, text }) => [id, wordsOf(text)])).toEqual([
    [`C1/${ts(1)}`, "a"],
    [`C1/${ts(1)}/2`, "b"],
  ]);
  expect(leftOutOf(stage)).toEqual({ "message duplicate": 2 });
});

test("leaves out reactions of people who are in no list and wrote nothing", async () => {
  const reactions = [
    { name: "+1", users: ["U1", "U8", "U9"], count: 3 },
    { name: "tada", users: ["U9"], count: 1 },
  ];
  await using stage = await stageOf(channelWith([said("U1", 1, "x <@U9>", { reactions }), said("U8", 2, "I write")]));
  expect(stage.message(`C1/${ts(1)}`)?.reactions).toEqual([{ reaction: "👍", userIds: ["U1", "U8"] }]);
  expect(stage.counts()).toMatchObject({ reactions: 2, mentions: 0 });
  expect(leftOutOf(stage)).toEqual({ "reaction person_unknown": 2, "mention person_unknown": 1 });
});

test("keeps the first 20 kinds of reactions, and the newest 50 pins", async () => {
  const names = Array.from({ length: 23 }, (_, at) => `custom${at}`);
  const reactions = names.map((name) => ({ name, users: ["U1"], count: 1 }));
  const pinned = Array.from({ length: 53 }, (_, at) => said("U1", 10 + at, `${at}`, { pinned_to: ["C1"] }));
  await using stage = await stageOf(channelWith([said("U1", 1, "x", { reactions }), ...pinned]));
  expect(stage.message(`C1/${ts(1)}`)?.reactions.map(({ reaction }) => reaction)).toEqual(names.slice(0, 20));
  const pins = stage.messagesAfter(0, 100).filter(({ isPinned }) => isPinned);
  expect(pins.map(({ text }) => wordsOf(text))).toEqual(Array.from({ length: 50 }, (_, at) => `${at + 3}`));
  expect(stage.counts()).toMatchObject({ reactions: 20, pins: 50 });
  expect(leftOutOf(stage)).toEqual({ "reaction more_than_20": 3, "pin more_than_50": 3 });
});

test("counts replies that are older than their root", async () => {
  const thread_ts = ts(9);
  await using stage = await stageOf(
    channelWith([said("U1", 1, "early", { thread_ts }), said("U1", 9, "root", { thread_ts })]),
  );
  expect(stage.counts()).toMatchObject({ messages: 2, replies: 1, moved: 1 });
});

test("a finished stage is used again, and any other is replaced", async () => {
  const path = join(folder, "again.sqlite");
  await using first = await stageOf(sampleExport(), path);
  const made = (await stat(path)).mtimeMs;
  await using second = await stageOf(sampleExport(), path);
  expect((await stat(path)).mtimeMs).toBe(made);
  expect(second.counts()).toEqual(first.counts());
  await using other = await stageOf(channelWith([said("U1", 1, "x")]), path);
  expect(other.size).toBe(1);
  await writeFile(path, "what a process left that was killed");
  await using third = await stageOf(sampleExport(), path);
  expect(third.counts()).toEqual(first.counts());
});

test("refuses an export for which the disk has no room, before it writes anything", async () => {
  await using source = await openExportAt(await writeExportZip(newPath("zip"), sampleExport()), slack, 0);
  const path = newPath("sqlite");
  const refused = stageExport({ ...source, recordBytes: 2 ** 60 }, path, () => {});
  await expect(refused).rejects.toThrow(/has \d+ MiB free\. The import needs \d+ MiB, and leaves 5 % of the disk/);
  expect(existsSync(path)).toBe(false);
});

test("only this user may read a stage", async () => {
  const path = join(folder, "mode.sqlite");
  await using _ = await stageOf(sampleExport(), path);
  expect((await stat(path)).mode & 0o777).toBe(0o600);
});
