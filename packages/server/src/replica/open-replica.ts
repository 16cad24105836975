import type { Config } from "../config/config.ts";
import type { ReplicaStorage } from "./storage.ts";
import { FolderReplica } from "./storage-folder.ts";
import { S3Replica } from "./storage-s3.ts";

/** Opens the replica that `PARLEY_REPLICA` names. Asks nothing and creates nothing. Throws if it names none. */
export function openReplica(config: Config): ReplicaStorage {
  const { replica } = config;
  if (replica === null) throw new Error("PARLEY_REPLICA names no replica.");
  return replica.kind === "folder" ? new FolderReplica(replica.path) : new S3Replica(config, replica);
}
