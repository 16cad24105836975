import type { Database } from "bun:sqlite";
import { existsSync } from "node:fs";
import { chmod, rename, rm } from "node:fs/promises";
import { checkRoom } from "../archive/limits.ts";
import type { OpenSource } from "../source.ts";
import type { CountedStage, StageExport } from "../stage.ts";
import { settle } from "./finish-stage.ts";
import { openStage } from "./open-stage.ts";
import { createStage, markOf } from "./stage-tables.ts";
import { StageWriter } from "./stage-writer.ts";
import { Tally } from "./tally.ts";

const PROGRESS_EVERY = 1_000;

/**
 * Reads an export into a stage. Uses a finished stage of the same export as it is, and replaces any other. Errors:
 * `SourceError`, if the export is damaged or the disk has no room.
 */
export const stageExport: StageExport = async (source, path, progress) => {
  const there = existsSync(path) ? openStage(path, source.fingerprint) : null;
  if (there !== null) return there;
  // Only a finished stage gets its name. A killed process may leave a file that SQLite would have to recover: it is replaced.
  const draft = `${path}.draft`;
  for (const left of [path, draft, `${draft}-journal`]) await rm(left, { force: true });
  checkRoom(path, source.recordBytes);
  const db = createStage(draft);
  try {
    await chmod(draft, 0o600);
    await fill(db, source, progress);
  } finally {
    db.close();
  }
  await rename(draft, path);
  return openedStage(path, source);
};

function openedStage(path: string, source: OpenSource): CountedStage {
  const stage = openStage(path, source.fingerprint);
  if (stage === null) throw new Error("the stage was finished, and is not");
  return stage;
}

async function fill(db: Database, source: OpenSource, progress: (read: number) => void): Promise<void> {
  const tally = new Tally();
  const writer = new StageWriter(db, tally, source.hasUniqueIds === true);
  for await (const user of source.users()) writer.user(user);
  for await (const channel of source.channels()) writer.channel(channel);
  for await (const message of source.messages(writer.channelIds)) {
    writer.message(message);
    if (writer.size % PROGRESS_EVERY === 0) progress(writer.size);
  }
  for (const user of source.strangers()) writer.user({ item: user });
  settle(db, tally, writer.hasUser);
  writer.commit();
  finish(db, source, tally);
  progress(writer.size);
}

/** Marks the stage as finished, once all of it is on the disk. */
function finish(db: Database, source: OpenSource, tally: Tally): void {
  db.run("COMMIT");
  db.run("PRAGMA journal_mode = DELETE");
  db.run("PRAGMA synchronous = FULL");
  const about = {
    workspace: source.workspace,
    counts: tally.counts(source.replacedCharacters),
    left_out: tally.leftOut,
    fingerprint: markOf(source.fingerprint),
  };
  db.transaction(() => {
    const insert = db.prepare("INSERT INTO about VALUES (?, ?)");
    for (const [name, value] of Object.entries(about)) insert.run(name, JSON.stringify(value));
  })();
}
