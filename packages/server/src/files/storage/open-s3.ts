import { join } from "node:path";
import type { Config } from "../../config/config.ts";
import type { Log } from "../../logging/log.ts";
import type { OpenOptions } from "./file-storage.ts";
import { S3Storage } from "./s3-storage.ts";

/** Opens a bucket with the keys of the settings. Asks the S3 server nothing. */
export function openS3At(
  config: Config,
  { bucket, prefix }: { bucket: string; prefix: string },
  log: Log,
  options: OpenOptions = {},
): S3Storage {
  const { dataDir, s3Endpoint, s3Region, s3AccessKey, s3SecretKey, s3Redirect } = config;
  if (s3AccessKey === null || s3SecretKey === null) throw new Error("The settings have no keys of a bucket.");
  return new S3Storage(
    {
      endpoint: s3Endpoint,
      region: s3Region,
      bucket,
      prefix,
      accessKey: s3AccessKey,
      secretKey: s3SecretKey,
      incoming: join(dataDir, "incoming"),
      redirect: s3Redirect,
    },
    log,
    options,
  );
}
