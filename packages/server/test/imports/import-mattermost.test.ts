import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { cli } from "../support/cli.ts";
import { temporaryFolder } from "../support/config.ts";
import { importCommand } from "../support/imports/import-command.ts";
import {
  DAY,
  postLine,
  SAMPLE_COUNTS,
  SAMPLE_LEFT_OUT,
  sampleExport,
  writeMattermostZip,
} from "../support/imports/mattermost-export.ts";
import { eventually, startTestServer, type TestServer } from "../support/servers/test-server.ts";

interface Report {
  import_id: number | null;
  counts: Record<string, { taken: number; known: number; left_out: number }>;
  left_out: { kind: string; reason: string; count: number }[];
  report: string;
}

const ALL = ["--channels", "all", "--with-files", "--yes", "--json"];

/** Runs the command on the database of a running server, with the sample and further lines. */
async function importer(server: TestServer, more: readonly unknown[] = []) {
  const { "import.jsonl": lines = [], ...files } = sampleExport();
  const zip = join(temporaryFolder(), "export.zip");
  await writeMattermostZip(zip, { "import.jsonl": [...(lines as unknown[]), ...more], ...files });
  return importCommand(server, "mattermost", zip);
}

const messagesIn = async (client: TestServer["guest"], slug: string) =>
  (await client.get(`/api/messages?channel_id=${slug}`)).body.messages ?? [];

test("a dry run counts what an export of Mattermost has, and leaves a proposal of what becomes of people", async () => {
  const zip = await writeMattermostZip(join(temporaryFolder(), "export.zip"), sampleExport());
  const env = { PARLEY_DATA_DIR: join(temporaryFolder(), "data") };
  const { code, out, err } = await cli(["import", "mattermost", zip, "--dry-run", ...ALL], env);
  expect({ code, err }).toEqual({ code: 0, err: expect.stringContaining("Read 15 messages") });
  const line = JSON.parse(out) as Report;
  expect(line).toMatchObject({ import_id: null, format: "mattermost", status: "dry_run" });
  expect(Object.fromEntries(Object.entries(line.counts).map(([name, { taken }]) => [name, taken]))).toEqual(
    SAMPLE_COUNTS,
  );
  expect(Object.fromEntries(line.left_out.map(({ kind, reason, count }) => [`${kind} ${reason}`, count]))).toEqual(
    SAMPLE_LEFT_OUT,
  );
  const table = readFileSync(line.report.replace("report.json", "users.csv"), "utf8");
  expect(table).toContain("ada,ada,ada@example.org,ada,new\n");
  expect(table).toContain("webhook:alerts,alerts,,,agent\n");
});

test("a channel is chosen by its team and name, and gets another address", async () => {
  const zip = await writeMattermostZip(join(temporaryFolder(), "export.zip"), sampleExport());
  const env = { PARLEY_DATA_DIR: join(temporaryFolder(), "data") };
  const args = ["--dry-run", "--json", "--channels", "core/random=lobby"];
  const { report } = JSON.parse((await cli(["import", "mattermost", zip, ...args], env)).out) as Report;
  const { channels } = JSON.parse(readFileSync(report, "utf8"));
  expect(channels).toMatchObject([{ source_id: "core/random", channel_slug: "lobby", messages: 1 }]);
});

test("an export of Mattermost is there as a whole, and a second run takes nothing", async () => {
  await using server = await startTestServer({ rateLimits: "off" });
  const run = await importer(server);
  const { code, out } = await run(...ALL);
  const line = JSON.parse(out) as Report;
  expect([code, line.counts.messages?.taken]).toEqual([0, SAMPLE_COUNTS.messages]);
  await eventually("the channel is shown", async () => (await messagesIn(server.guest, "general-2")).length > 0);
  const messages = await messagesIn(server.guest, "general-2");
  const find = (words: string) => messages.find(({ content }: { content: string }) => content.startsWith(words));
  expect(find("Hello")).toMatchObject({
    content: "Hello **everybody**, @ben: see #random 👋🏼",
    created_at: expect.anything(),
    mentions: [{ type: "user", name: "ben" }],
  });
  expect(find("Deployed")?.content).toBe("Deployed `@ada`\n\n| a | b |\n|---|---|\n| 1 | 2 |");
  expect(find("[Disk full]")?.content).toBe("[Disk full](https://example.org/disk)\n\non **db1**");
  expect(messages.filter(({ content }: { content: string }) => content === "twice")).toHaveLength(2);
  const [file] = messages.flatMap(({ files }: { files: { name: string; url: string }[] }) => files);
  expect(file).toMatchObject({ name: "pixel.png" });
  expect((await server.guest.get(file.url)).status).toBe(200);
  expect((await server.guest.get("/api/messages?channel_id=secret")).status).toBe(404);
  const again = JSON.parse((await run(...ALL)).out) as Report;
  expect(again).toMatchObject({ import_id: line.import_id, counts: { messages: { taken: 0, known: 15 } } });
});

test("a later export of the same server takes nothing twice, also what was written in one millisecond", async () => {
  await using server = await startTestServer({ rateLimits: "off" });
  expect((await (await importer(server))(...ALL)).code).toBe(0);
  const more = [postLine("general", "ben", (2 * DAY) / 1000, "a day later")];
  const later = JSON.parse((await (await importer(server, more))(...ALL)).out) as Report;
  expect(later.counts.messages).toMatchObject({ known: SAMPLE_COUNTS.messages });
  expect(later.counts.channels).toMatchObject({ taken: 0, known: SAMPLE_COUNTS.channels });
});
