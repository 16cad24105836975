import { join } from "node:path";
import type { Config } from "../../config/config.ts";
import { type AppContext, perServer } from "../../context.ts";
import type { Log } from "../../logging/log.ts";
import type { FileStorage, OpenOptions } from "./file-storage.ts";
import { FolderStorage } from "./folder-storage.ts";
import { S3Storage } from "./s3-storage.ts";

/** Opens the storage that the settings name (`PARLEY_FILES`). Throws if its folder cannot be created. */
export function openStorage(config: Config, log: Log, options: OpenOptions = {}): FileStorage {
  return config.files.kind === "folder"
    ? new FolderStorage(config.files.path, log, options)
    : openS3(config, log, options);
}

/** Opens the bucket of the settings, which must name one. Asks the S3 server nothing. */
export function openS3(config: Config, log: Log, options: OpenOptions = {}): S3Storage {
  const { files, dataDir, s3Endpoint, s3Region, s3AccessKey, s3SecretKey, s3Redirect } = config;
  if (files.kind !== "s3" || s3AccessKey === null || s3SecretKey === null) {
    throw new Error("The settings name no bucket with its keys.");
  }
  return new S3Storage(
    {
      endpoint: s3Endpoint,
      region: s3Region,
      bucket: files.bucket,
      prefix: files.prefix,
      accessKey: s3AccessKey,
      secretKey: s3SecretKey,
      incoming: join(dataDir, "incoming"),
      redirect: s3Redirect,
    },
    log,
    options,
  );
}

/** The storage of this server's files. */
export const fileStorage: (ctx: AppContext) => FileStorage = perServer((ctx) => openStorage(ctx.config, ctx.log));
