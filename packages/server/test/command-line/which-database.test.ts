import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { cliProcess } from "../support/cli.ts";
import { temporaryFolder } from "../support/config.ts";
import { AnsweringServer, sayNothing } from "../support/servers/answering-server.ts";
import { freePort } from "../support/servers/child-server.ts";
import { startTestServer } from "../support/servers/test-server.ts";

const sqliteIn = (dataDir: string) => ({ kind: "sqlite", path: join(dataDir, "parley.sqlite") }) as const;
const issueKey = (env: Record<string, string>) => cliProcess(["key", "issue", "--agent", "Scout", "--json"], env);

describe("a command that writes", () => {
  test("names the database on standard error, and says nothing else when a server uses it", async () => {
    const dataDir = temporaryFolder();
    await using server = await startTestServer({ dataDir, database: sqliteIn(dataDir) });
    const port = new URL(server.url).port;
    const { code, out, err } = await issueKey({ PARLEY_DATA_DIR: dataDir, PORT: port });
    expect([code, err]).toEqual([0, `Database: SQLite file ${join(dataDir, "parley.sqlite")}\n`]);
    const headers = { authorization: `Bearer ${JSON.parse(out).api_key}` };
    expect((await server.guest.get("/api/agenthub/mentions", { headers })).status).toBe(200);
  });

  test("warns when the server on the configured port uses another database", async () => {
    await using server = await startTestServer();
    const dataDir = temporaryFolder();
    const { port } = new URL(server.url);
    const { code, err } = await issueKey({ PARLEY_DATA_DIR: dataDir, PORT: port });
    expect(code).toBe(0);
    expect(err).toStartWith(
      `Database: SQLite file ${join(dataDir, "parley.sqlite")}\nWarning: no server is running on`,
    );
    expect(err).toContain(`the server at http://127.0.0.1:${port} uses another one`);
  });

  test("says that no server is running, and takes no other program for one", async () => {
    const env = { PARLEY_DATA_DIR: temporaryFolder(), PORT: String(freePort()) };
    expect((await issueKey(env)).err).toEndWith("\nNo server is running on this database.\n");
    using other = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response("Hello.") });
    const revoked = await cliProcess(["agent", "pause", "1"], { ...env, PORT: String(other.port) });
    expect([revoked.code, revoked.err.split("\n")[1]]).toEqual([0, "No server is running on this database."]);
  });

  test("does not wait for a program that never answers", async () => {
    await using silent = await AnsweringServer.start();
    silent.answering = sayNothing;
    const env = { PARLEY_DATA_DIR: temporaryFolder(), PORT: new URL(silent.url).port };
    expect((await issueKey(env)).err).toEndWith("\nNo server is running on this database.\n");
  });

  test("a command that only reads says nothing", async () => {
    const { err } = await cliProcess(["key", "list"], { PARLEY_DATA_DIR: temporaryFolder() });
    expect(err).toBe("");
  });
});
