import { join } from "node:path";
import type { Config } from "../../../src/config/config.ts";
import { type CliResult, cli } from "../cli.ts";
import { temporaryFolder } from "../config.ts";
import type { TestServer } from "../servers/test-server.ts";

/** Returns the settings of a command that works on the database of a server. */
export function envOf({ database, dataDir, publicUrl }: Config): Record<string, string> {
  return {
    PARLEY_DATA_DIR: dataDir,
    ...(publicUrl === null ? {} : { PARLEY_PUBLIC_URL: publicUrl }),
    ...(database.kind === "postgres" ? { DATABASE_URL: database.url } : {}),
  };
}

/** Exports from a running server, and returns where to. Throws if the command fails. */
export async function exported(server: TestServer, format: string, ...more: string[]) {
  const path = join(temporaryFolder(), more.includes("zip") ? "export.zip" : "export");
  const options = more.filter((each) => each !== "zip" && each !== "folder");
  const args = ["export", "--format", format, path, "--channels", "all", "--with-files", "--yes", "--json", ...options];
  const result = await cli(args, envOf(server.config));
  if (result.code !== 0) throw new Error(result.err);
  return { path, line: JSON.parse(result.out) };
}

/** Imports an export into a server. */
export const imported = (server: TestServer, format: string, path: string): Promise<CliResult> =>
  cli(["import", format, path, "--channels", "all", "--with-files", "--yes", "--json"], envOf(server.config));
