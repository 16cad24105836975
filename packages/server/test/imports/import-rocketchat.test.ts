import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../support/config.ts";
import { importCommand } from "../support/imports/import-command.ts";
import { SAMPLE_COUNTS, sampleDump, writeDump } from "../support/imports/rocketchat-export.ts";
import { eventually, startTestServer, type TestServer } from "../support/servers/test-server.ts";

/** Runs the command on the database of a running server, with the sample. */
const importer = async (server: TestServer) =>
  importCommand(server, "rocketchat", await writeDump(join(temporaryFolder(), "dump"), sampleDump()), {
    PARLEY_PUBLIC_URL: "https://parley.example",
  });

const taken = Object.fromEntries(Object.entries(SAMPLE_COUNTS).map(([name, count]) => [name, { taken: count }]));

interface Shown {
  id: number;
  content: string;
  reply_to_id: number | null;
  files: { name: string; url: string }[];
}

const messagesOf = async ({ guest }: TestServer, slug: string): Promise<Shown[]> =>
  (await guest.get(`/api/messages?channel_id=${slug}`)).body.messages;

test("a dump of Rocket.Chat is there as a whole, and a second run takes nothing", async () => {
  await using server = await startTestServer({ rateLimits: "off" });
  const run = await importer(server);
  const { code, out } = await run("--channels", "all", "--with-files", "--yes", "--json");
  expect(code).toBe(0);
  const line = JSON.parse(out);
  expect(line).toMatchObject({ format: "rocketchat", status: "done", counts: taken });
  const report = JSON.parse(readFileSync(line.report, "utf8"));
  expect(report.agents.map(({ source_id }: { source_id: string }) => source_id).sort()).toEqual([
    "bot:alerts",
    "rocket.cat",
  ]);
  await eventually("the channel is shown", async () => (await messagesOf(server, "general-2")).length > 0);
  const shown = await messagesOf(server, "general-2");
  const hello = shown.find(({ content }) => content.startsWith("Hello"));
  expect(hello?.content).toBe("Hello **everybody**, @ben: see #news and [this](https://example.org/a_b_c) 👋🏼");
  expect(shown.find(({ content }) => content === "Agreed")?.reply_to_id).toBe(hello?.id ?? 0);
  const [file] = shown.flatMap(({ files }) => files);
  expect(file?.name).toBe("pixel.png");
  expect((await server.guest.get(file?.url ?? "")).status).toBe(200);
  expect((await server.guest.get("/api/messages?channel_id=secret")).status).toBe(404);
  const again = JSON.parse((await run("--channels", "all", "--with-files", "--yes", "--json")).out);
  expect(again).toMatchObject({ import_id: line.import_id, counts: { messages: { taken: 0, known: 13 } } });
});

test("a dry run counts the same, and takes only what everybody could read by default", async () => {
  await using server = await startTestServer({ rateLimits: "off" });
  const run = await importer(server);
  const all = JSON.parse((await run("--dry-run", "--channels", "all", "--with-files", "--json")).out);
  expect(all).toMatchObject({ import_id: null, status: "dry_run", counts: taken });
  expect(all.left_out).toContainEqual(expect.objectContaining({ kind: "encrypted", count: 1 }));
  const own = JSON.parse((await run("--dry-run", "--json")).out);
  expect(own.counts).toMatchObject({ channels: { taken: 2 }, messages: { taken: 9 } });
});
