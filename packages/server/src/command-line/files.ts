import { join } from "node:path";
import { systemClock } from "../clock.ts";
import type { Config, DatabaseConfig } from "../config/config.ts";
import { loadConfig } from "../config/load-config.ts";
import { readSnapshot } from "../db/snapshot.ts";
import { openReplicaFiles } from "../files/replica/replica-files.ts";
import { type CopyReport, copyBytes } from "../files/storage/copy-bytes.ts";
import { expectedBytes } from "../files/storage/expected-bytes.ts";
import { FolderStorage } from "../files/storage/folder-storage.ts";
import { openStorage } from "../files/storage/open-storage.ts";
import { createLog } from "../logging/log.ts";
import { CommandError, fileAt, type Invocation, print } from "./command.ts";

export async function filesBackup(call: Invocation): Promise<number> {
  const config = loadConfig(call.env);
  const folder = fileAt(call, call.positionals[0] ?? "");
  const { database } = call.values;
  const source: DatabaseConfig =
    typeof database === "string" ? { kind: "sqlite", path: fileAt(call, database) } : config.database;
  const report = await copyFilesOut(call, config, source, folder);
  print(call, { folder, files: report }, textOfBackup(report, folder));
  return report.missing.length + report.damaged.length === 0 ? 0 : 1;
}

export async function filesRestore(call: Invocation): Promise<number> {
  const config = loadConfig(call.env);
  const folder = fileAt(call, call.positionals[0] ?? "");
  const report = await copyFilesBack(call, config, { folder });
  print(call, { folder, files: report }, textOfRestore(report));
  return report.missing.length + report.damaged.length === 0 ? 0 : 1;
}

/** Copies the files of a database to a folder: by hash, only what is new there. */
export async function copyFilesOut(
  call: Invocation,
  config: Config,
  database: DatabaseConfig,
  folder: string,
): Promise<CopyReport> {
  const log = createLog({ level: "warn", readable: true, write: call.err });
  refuseSameFolder(config, folder);
  const target = openFolder(folder, log);
  const { needed } = await readSnapshot(database, systemClock, expectedBytes);
  // A backup has the bytes by their hash alone, so that later ones find them.
  const wanted = [...needed].map(([sha256, { size, key }]) => ({ sha256, size, source: key, target: sha256 }));
  return copyBytes(openStorage(config, log), target, wanted);
}

/** Where bytes are copied back from: the folder of a backup, which has them by their hashes, or the replica; null: nowhere. */
export type FilesSource = { folder: string } | { replica: true } | null;

/** Checks that every file of the database has its bytes. Copies those that are missing from the source. */
export async function copyFilesBack(call: Invocation, config: Config, from: FilesSource): Promise<CopyReport> {
  const log = createLog({ level: "warn", readable: true, write: call.err });
  if (from !== null && "folder" in from) refuseSameFolder(config, from.folder);
  const { needed } = await readSnapshot(config.database, systemClock, expectedBytes);
  const storage = openStorage(config, log);
  const isBackup = from !== null && "folder" in from;
  const source = from === null ? storage : isBackup ? openFolder(from.folder, log) : openReplicaFiles(config, log);
  const wanted = [...needed].map(([sha256, { size, key }]) => ({
    sha256,
    size,
    source: isBackup ? sha256 : key,
    target: key,
  }));
  return copyBytes(source, storage, wanted);
}

function openFolder(folder: string, log: ReturnType<typeof createLog>): FolderStorage {
  try {
    return new FolderStorage(folder, log);
  } catch (error) {
    throw new CommandError(`The folder ${folder} cannot be used: ${(error as Error).message}`);
  }
}

function refuseSameFolder({ files, dataDir }: Config, folder: string): void {
  if ((files.kind === "folder" && folder === files.path) || folder === dataDir || folder === join(dataDir, "files")) {
    throw new CommandError(`${folder} belongs to the server. Choose another folder for the backup.`);
  }
}

export const textOfBackup = (report: CopyReport, folder: string): string =>
  `${folder} has the bytes of all files: ${report.copied} copied (${report.copiedBytes} bytes), ${report.present} were there.${lossOf(report)}`;

export const textOfRestore = (report: CopyReport): string =>
  `Files: ${report.present} have their bytes, ${report.copied} were copied back.${lossOf(report)}`;

/** Names what is lost; at most five hashes, which are enough to begin a search. */
function lossOf({ missing, damaged }: CopyReport): string {
  const some = (hashes: readonly string[]): string =>
    hashes.slice(0, 5).join(", ") + (hashes.length > 5 ? ` and ${hashes.length - 5} more` : "");
  return [
    ...(missing.length > 0 ? [` LOST: ${missing.length} without bytes: ${some(missing)}.`] : []),
    ...(damaged.length > 0 ? [` DAMAGED: ${damaged.length} with other bytes: ${some(damaged)}.`] : []),
  ].join("");
}
