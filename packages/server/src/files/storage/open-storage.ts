import type { Config } from "../../config/config.ts";
import { type AppContext, perServer } from "../../context.ts";
import { fail } from "../../errors.ts";
import type { Log } from "../../logging/log.ts";
import type { FileStorage } from "./file-storage.ts";
import { FolderStorage } from "./folder-storage.ts";

/** Opens the storage that the settings name (`PARLEY_FILES`). Throws if its folder cannot be created. */
export function openStorage(config: Config, log: Log): FileStorage {
  if (config.files.kind === "folder") return new FolderStorage(config.files.path, log);
  throw fail("storage_unavailable", { message: "This version cannot store files in a bucket." });
}

/** The storage of this server's files. */
export const fileStorage: (ctx: AppContext) => FileStorage = perServer((ctx) => openStorage(ctx.config, ctx.log));
