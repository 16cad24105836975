import { mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { isoTime } from "../base/iso-time.ts";
import { systemClock } from "../clock.ts";
import { backupFacts } from "../db/backup.ts";
import { createPrivateFile } from "../db/server-lock.ts";
import { spaceAt } from "../metrics/disk.ts";
import { openReplica } from "../replica/open-replica.ts";
import type { ReplicaStorage } from "../replica/storage.ts";
import type { ReplicaContent } from "../restoring/chains.ts";
import { noteCheck } from "../restoring/last-check.ts";
import { contentOf } from "../restoring/restore-from-replica.ts";
import { restoreTo, startsFor } from "../restoring/restore-points.ts";
import { auditCopy } from "./backups.ts";
import { CommandError, type Invocation, print } from "./command.ts";
import { asCommand, configWithReplica, tellingOf, timeOf } from "./restore-at.ts";

const DRAFT = ".draft-replica-check-";

/** Restores the replica into a temporary file beside the database, and checks it as `backup verify` does. */
export async function restoreCheck(call: Invocation): Promise<number> {
  const config = configWithReplica(call);
  const storage = openReplica(config);
  const at = typeof call.values.at === "string" ? timeOf(call.values.at) : null;
  const place = config.database.kind === "sqlite" ? dirname(config.database.path) : config.dataDir;
  mkdirSync(place, { recursive: true, mode: 0o700 });
  // A killed check left them.
  for (const name of readdirSync(place))
    if (name.startsWith(DRAFT)) rmSync(join(place, name), { recursive: true, force: true });
  const folder = mkdtempSync(join(place, DRAFT));
  try {
    const path = join(folder, "parley.sqlite");
    const state = await asCommand(async () => {
      const content = await contentOf(storage);
      assertRoom(place, storage, content, at);
      createPrivateFile(path);
      return restoreTo(storage, content, at, path, tellingOf(call));
    });
    const facts = backupFacts(path);
    const { messages, entries, text } = await auditCopy(call, path, "The replica");
    const now = systemClock.now();
    if (at === null) await noteCheck(storage, { at: now, restored_to: state.at });
    print(
      call,
      {
        replica: storage.place,
        restored_to: isoTime(state.at),
        schema: facts.schema,
        messages,
        ledger_entries: entries,
      },
      `The replica at ${storage.place} was restored to ${isoTime(state.at)} and is sound: ${text}.`,
    );
    return 0;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Throws if the snapshot alone would fill the disk. */
function assertRoom(place: string, storage: ReplicaStorage, content: ReplicaContent, at: number | null): void {
  const file = startsFor(content, at)?.snapshots[0]?.file;
  if (file === undefined) return;
  const needed = file.pageSize * file.parts.reduce((sum, { pages }) => sum + pages, 0);
  const { free } = spaceAt(place);
  if (free < needed)
    throw new CommandError(
      `There is no room in ${place} to restore the replica at ${storage.place}: it needs ${mib(needed)} MiB, and ${mib(free)} MiB are free.`,
    );
}

const mib = (bytes: number): number => Math.ceil(bytes / 1024 / 1024);
