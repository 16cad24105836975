import { join } from "node:path";
import type { Config } from "../../config/config.ts";
import type { Log } from "../../logging/log.ts";
import type { FileStorage, OpenOptions } from "../storage/file-storage.ts";
import { FolderStorage } from "../storage/folder-storage.ts";
import { openS3At } from "../storage/open-s3.ts";

/** Beside the chains of the replica (replica/format.ts). */
const FOLDER = "files";

type Settings = Pick<Config, "replica" | "files">;

/** True if the replica has the bytes of files, too: those in a bucket are not on the server's disk. */
export const hasFilesInReplica = ({ replica, files }: Settings): boolean => replica !== null && files.kind === "folder";

/**
 * Opens the copies of files in the replica, which have the same keys as in the storage. Throws if their folder cannot be
 * created, or if the settings name no replica.
 */
export function openReplicaFiles(config: Config, log: Log, options: OpenOptions = {}): FileStorage {
  const { replica } = config;
  if (replica === null) throw new Error("The settings name no replica.");
  if (replica.kind === "folder") return new FolderStorage(join(replica.path, FOLDER), log, options);
  return openS3At(config, { bucket: replica.bucket, prefix: `${replica.prefix}${FOLDER}/` }, log, options);
}

/** How long the bytes of deleted files stay, in milliseconds: a restored database must find them. */
export function keptMs({
  replica,
  replicaDays,
  filesKeptDays,
}: Pick<Config, "replica" | "replicaDays" | "filesKeptDays">): number {
  return (filesKeptDays ?? (replica === null ? 0 : replicaDays)) * 86_400_000;
}
