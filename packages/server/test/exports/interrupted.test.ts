import { expect, test } from "bun:test";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { cli, spawnCli } from "../support/cli.ts";
import { temporaryFolder } from "../support/config.ts";
import { linesOf } from "../support/exports/read-export.ts";
import { envOf } from "../support/exports/round-trip.ts";
import { putMessages } from "../support/put-messages.ts";
import { eventually, startTestServer } from "../support/servers/test-server.ts";

const MANY = 25_000;

/** An export that is killed is not taken for a whole one, and the same command makes it whole. */
test.each([
  ["mattermost", "export"],
  ["slack", "export"],
  ["slack", "export.zip"],
])("an export for %s as %s that is killed is incomplete by its name", async (format, name) => {
  await using server = await startTestServer({ rateLimits: "off" });
  await putMessages(
    server.ctx,
    Array.from({ length: MANY }, (_, at) => ({ content: `**message** ${at}` })),
  );
  const path = join(temporaryFolder(), name);
  const args = ["export", "--format", format, path, "--json"];
  const child = spawnCli(args, envOf(server.config));
  const marker = name.endsWith(".zip") ? `${path}.partial` : join(path, "INCOMPLETE.txt");
  await eventually("the export has begun", () => existsSync(marker));
  child.kill("SIGKILL");
  await child.exited;
  expect(existsSync(marker)).toBe(true);
  if (name.endsWith(".zip")) expect(existsSync(path)).toBe(false);
  else expect(readdirSync(path)).not.toContain(format === "slack" ? "channels.json" : "import.jsonl");

  const { code, out } = await cli(args, envOf(server.config));
  expect(code).toBe(0);
  expect(JSON.parse(out).counts.messages.taken).toBe(MANY);
  expect(existsSync(marker)).toBe(false);
  expect(readdirSync(join(path, "..")).sort()).toEqual([name, "export.report.json"].sort());
  if (format === "mattermost") expect(linesOf(path).filter(({ type }) => type === "post")).toHaveLength(MANY);
});

test("a message that is written during an export is not in it", async () => {
  await using server = await startTestServer({ rateLimits: "off" });
  const ada = await server.user("ada");
  await putMessages(
    server.ctx,
    Array.from({ length: MANY }, (_, at) => ({ content: `message ${at}` })),
  );
  const path = join(temporaryFolder(), "export");
  const child = spawnCli(["export", "--format", "mattermost", path, "--json"], envOf(server.config));
  await eventually("the export has begun", () => existsSync(join(path, "INCOMPLETE.txt")));
  const sent = await ada.post("/api/messages", { channel_slug: "general", content: "meanwhile" });
  expect(sent.status).toBe(201);
  expect([await child.exited, existsSync(join(path, "INCOMPLETE.txt"))]).toEqual([0, false]);
  expect(linesOf(path).filter(({ type }) => type === "post")).toHaveLength(MANY);
});
