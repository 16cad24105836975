import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../support/config.ts";
import { importCommand } from "../support/imports/import-command.ts";
import { SAMPLE_COUNTS, sampleExport, writeZulipTar } from "../support/imports/zulip-export.ts";
import { eventually, startTestServer, type TestServer } from "../support/servers/test-server.ts";

/** Runs the command on the database of a running server, with the sample. */
const importer = async (server: TestServer) =>
  importCommand(server, "zulip", await writeZulipTar(join(temporaryFolder(), "zulip-export.tar.gz"), sampleExport()), {
    PARLEY_PUBLIC_URL: "https://parley.example",
  });

const taken = Object.fromEntries(Object.entries(SAMPLE_COUNTS).map(([name, count]) => [name, { taken: count }]));

interface Shown {
  content: string;
  thread_root_id: number | null;
  reactions: { reaction: string; count: number }[];
  files: { name: string; url: string }[];
}

const messagesOf = async ({ guest }: TestServer, slug: string): Promise<Shown[]> =>
  (await guest.get(`/api/messages?channel_id=${slug}`)).body.messages;

test("an export of Zulip is there as a whole, and a second run takes nothing", async () => {
  await using server = await startTestServer({ rateLimits: "off" });
  const run = await importer(server);
  const { code, out } = await run("--channels", "all", "--with-files", "--yes", "--json");
  expect(code).toBe(0);
  const line = JSON.parse(out);
  expect(line).toMatchObject({ format: "zulip", status: "done", counts: taken });
  const report = JSON.parse(readFileSync(line.report, "utf8"));
  expect(report.users).toContainEqual(expect.objectContaining({ source_id: "14", username: "Ben.Castle-2" }));
  expect(report.agents.map(({ source_id }: { source_id: string }) => source_id).sort()).toEqual(["13", "2"]);
  expect(report.channels).toContainEqual(expect.objectContaining({ source_id: "10,11", kind: "direct", messages: 2 }));
  await eventually("the channel is shown", async () => (await messagesOf(server, "general-2")).length > 0);
  const shown = await messagesOf(server, "general-2");
  const [hello] = shown.filter(({ content }) => content.startsWith("**lunch**"));
  expect(hello?.content).toMatch(
    /^\*\*lunch\*\*\n\nHello \*\*everybody\*\*, @Ben\.Castle: see #old-news and \[#general > Plans\]\(https:\/\/parley\.example\/#\/c\/general-2\/\d+\) 🙂$/,
  );
  expect(hello?.reactions).toContainEqual(expect.objectContaining({ reaction: "👍", count: 2 }));
  expect(shown.find(({ content }) => content === "An e-mail without a topic")?.thread_root_id).toBeNull();
  expect((await messagesOf(server, "old-news"))[0]?.content).toBe(
    "**fruit**\n\n**Which fruit?**\n\n- Apple (0)\n- Pear (1)\n- Kiwi (1)",
  );
  expect((await server.guest.get("/api/messages?channel_id=secret")).status).toBe(404);
  const again = JSON.parse((await run("--channels", "all", "--with-files", "--yes", "--json")).out);
  expect(again).toMatchObject({ import_id: line.import_id, counts: { messages: { taken: 0, known: 12 } } });
});

test("a dry run counts the same, and takes only what everybody could read by default", async () => {
  await using server = await startTestServer({ rateLimits: "off" });
  const run = await importer(server);
  const all = JSON.parse((await run("--dry-run", "--channels", "all", "--with-files", "--json")).out);
  expect(all).toMatchObject({ import_id: null, status: "dry_run", counts: taken });
  expect(all.left_out).toContainEqual(
    expect.objectContaining({ kind: "system_message", reason: "notification_bot", count: 1 }),
  );
  expect(all.left_out).toContainEqual(expect.objectContaining({ kind: "edit_history", count: 1 }));
  const own = JSON.parse((await run("--dry-run", "--json")).out);
  expect(own.counts).toMatchObject({ channels: { taken: 2 }, messages: { taken: 7 } });
});
