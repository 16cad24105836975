import { mkdtempSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { counted } from "../base/counted.ts";
import { isoTime } from "../base/iso-time.ts";
import { systemClock } from "../clock.ts";
import { loadConfig } from "../config/load-config.ts";
import { restoreSqlite } from "../db/backup.ts";
import { openDatabase } from "../db/database.ts";
import { createLog } from "../logging/log.ts";
import { bytesOf, listBackups } from "../operations/backups/backup-files.ts";
import { auditLedger } from "../points/ledger-audit.ts";
import { auditPackets } from "../red-packets/doctor.ts";
import { CommandError, fileAt, type Invocation, print } from "./command.ts";

/**
 * Restores a backup into a temporary folder beside it, opens the result as a server does, and audits the ledger. The
 * exit code is 0 only if all of it succeeds.
 */
export async function backupVerify(call: Invocation): Promise<number> {
  const file = fileAt(call, call.positionals[0] ?? "");
  // A name that a scheduled backup clears away if this process is killed.
  const folder = mkdtempSync(join(dirname(file), ".draft-restored-"));
  try {
    const path = join(folder, "parley.sqlite");
    const { facts } = await restoreSqlite(file, path, systemClock);
    const audited = await auditCopy(call, path, file);
    print(
      call,
      { file, schema: facts.schema, messages: audited.messages, ledger_entries: audited.entries },
      `${file} was restored and is sound: ${audited.text}.`,
    );
    return 0;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Opens a restored copy as a server does, and audits its ledger. `name` is what was restored. Throws a `CommandError`. */
export async function auditCopy(
  call: Invocation,
  path: string,
  name: string,
): Promise<{ messages: number; entries: number; text: string }> {
  const log = createLog({ level: "warn", readable: true, write: call.err });
  await using database = await openDatabase({ kind: "sqlite", path }, systemClock, { mode: "tool", poolSize: 1, log });
  const { db } = database;
  const [ledger, packets] = [await auditLedger(db), await auditPackets(db)];
  const problems = [...ledger.problems, ...packets.problems];
  if (problems.length > 0)
    throw new CommandError(`${name} is readable, but its ledger is wrong: ${problems.slice(0, 5).join("; ")}`);
  const { messages } = await db
    .selectFrom("messages")
    .select((eb) => eb.fn.countAll<number>().as("messages"))
    .executeTakeFirstOrThrow();
  const { entries } = ledger;
  const text = `${counted(messages, "message")}, ${counted(entries, "ledger entry", "ledger entries")}, all sums right`;
  return { messages: Number(messages), entries, text };
}

/** Lists the scheduled backups, the newest first. */
export async function backupList(call: Invocation): Promise<number> {
  const { backupDir } = loadConfig(call.env);
  if (backupDir === null) throw new CommandError("No backups are scheduled: PARLEY_BACKUP_DIR is not set.");
  let backups: { file: string; begun_at: string; bytes: number }[];
  try {
    backups = listBackups(backupDir).map((backup) => ({
      file: backup.path,
      begun_at: isoTime(backup.at),
      bytes: bytesOf(backup),
    }));
  } catch (error) {
    throw new CommandError(`The folder ${backupDir} cannot be read: ${(error as Error).message}`);
  }
  const lines = backups.map(({ file, begun_at, bytes }) => `${begun_at}  ${bytes} bytes  ${file}`);
  print(call, { backups }, lines.length === 0 ? `There is no backup in ${backupDir} yet.` : lines.join("\n"));
  return 0;
}
