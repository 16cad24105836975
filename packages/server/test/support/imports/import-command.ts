import type { SourceFormat } from "../../../src/imports/source.ts";
import { type CliResult, cli } from "../cli.ts";
import type { TestServer } from "../servers/test-server.ts";

/** Returns what runs the command that imports a file or folder, on the database of a running server. */
export function importCommand(
  { config: { database, dataDir } }: TestServer,
  format: SourceFormat,
  path: string,
  settings: Readonly<Record<string, string>> = {},
): (...args: string[]) => Promise<CliResult> {
  const env = {
    PARLEY_DATA_DIR: dataDir,
    ...settings,
    ...(database.kind === "postgres" ? { DATABASE_URL: database.url } : {}),
  };
  return (...args) => cli(["import", format, path, ...args], env);
}
