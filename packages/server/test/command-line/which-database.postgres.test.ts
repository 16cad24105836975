import { expect, test } from "bun:test";
import { cliProcess } from "../support/cli.ts";
import { temporaryFolder } from "../support/config.ts";
import { openPlace } from "../support/databases.ts";
import { freePort } from "../support/servers/child-server.ts";
import { startTestServer } from "../support/servers/test-server.ts";

const issueKey = (env: Record<string, string>) => cliProcess(["key", "issue", "--agent", "Scout", "--json"], env);

test("on PostgreSQL, finds a server by its lock and shows no password", async () => {
  await using place = await openPlace();
  const env = { DATABASE_URL: place.url, PARLEY_DATA_DIR: temporaryFolder(), PORT: String(freePort()) };
  const alone = await issueKey(env);
  expect(alone.err).toMatch(/^Database: PostgreSQL at [\w.]+:\d+\/\w+\nNo server is running on this database\.\n$/);
  await using _server = await startTestServer({ database: { kind: "postgres", url: place.url } });
  const beside = await cliProcess(["agent", "pause", "1"], env);
  expect(beside.err).toMatch(/^Database: PostgreSQL at [\w.]+:\d+\/\w+\n$/);
});
