import type { Config } from "../../config/config.ts";
import { type AppContext, perServer } from "../../context.ts";
import type { Log } from "../../logging/log.ts";
import { CopiedStorage } from "../replica/copied-storage.ts";
import { FileCopies } from "../replica/file-copies.ts";
import { hasFilesInReplica } from "../replica/replica-files.ts";
import type { FileStorage, OpenOptions } from "./file-storage.ts";
import { FolderStorage } from "./folder-storage.ts";
import { openS3At } from "./open-s3.ts";
import type { S3Storage } from "./s3-storage.ts";

/** Opens the storage that the settings name (`PARLEY_FILES`). Throws if its folder cannot be created. */
export function openStorage(config: Config, log: Log, options: OpenOptions = {}): FileStorage {
  return config.files.kind === "folder"
    ? new FolderStorage(config.files.path, log, options)
    : openS3(config, log, options);
}

/** Opens the bucket of the settings, which must name one. Asks the S3 server nothing. */
export function openS3(config: Config, log: Log, options: OpenOptions = {}): S3Storage {
  const { files } = config;
  if (files.kind !== "s3") throw new Error("The settings name no bucket.");
  return openS3At(config, files, log, options);
}

/** The storage itself, without the copies in the replica. */
const ownStorage: (ctx: AppContext) => FileStorage = perServer((ctx) => openStorage(ctx.config, ctx.log));

/** The copies of this server's files in the replica. */
export const fileCopies: (ctx: AppContext) => FileCopies = perServer((ctx) => new FileCopies(ctx, ownStorage(ctx)));

/** The storage of this server's files. */
export const fileStorage: (ctx: AppContext) => FileStorage = perServer((ctx) =>
  hasFilesInReplica(ctx.config) ? new CopiedStorage(ownStorage(ctx), fileCopies(ctx)) : ownStorage(ctx),
);
