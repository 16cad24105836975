import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { cli } from "../support/cli.ts";
import { temporaryFolder } from "../support/config.ts";
import { SAMPLE_COUNTS, SAMPLE_LEFT_OUT, sampleExport } from "../support/imports/discord-export.ts";
import { writeExportFolder, writeExportZip } from "../support/imports/export-files.ts";
import { importCommand } from "../support/imports/import-command.ts";
import { eventually, startTestServer, type TestServer } from "../support/servers/test-server.ts";

interface Report {
  import_id: number;
  status: string;
  counts: Record<string, { taken: number; known: number; left_out: number }>;
  left_out: { kind: string; reason: string; count: number }[];
  report: string;
}

/** Runs the command on the database of a running server. */
const importer = async (server: TestServer) =>
  importCommand(server, "discord", await writeExportFolder(join(temporaryFolder(), "export"), sampleExport()));

const takenOf = ({ counts }: Report): Record<string, number> =>
  Object.fromEntries(Object.entries(counts).map(([name, { taken }]) => [name, taken]));
const leftOutOf = ({ left_out }: Report): Record<string, number> =>
  Object.fromEntries(left_out.map(({ kind, reason, count }) => [`${kind} ${reason}`, count]));

interface Shown {
  id: number;
  content: string;
  reply_to: { id: number } | null;
  files?: { name: string }[];
}

test("is imported beside a running server, and a second run takes nothing", async () => {
  await using server = await startTestServer({ rateLimits: "off" });
  const run = await importer(server);
  const choice = ["--channels", "all", "--open", "general,help", "--with-files", "--yes", "--json"];
  const { code, out, err } = await run(...choice);
  expect([code, err]).toEqual([0, expect.stringContaining("Guests can read public channels")]);
  const line = JSON.parse(out) as Report;
  expect(line.status).toBe("done");
  expect(takenOf(line)).toEqual(SAMPLE_COUNTS);
  expect(leftOutOf(line)).toEqual({ ...SAMPLE_LEFT_OUT, "file only_a_link": 1, "emoji emoji_exists": 1 });

  const messages = async (slug: string): Promise<Shown[]> =>
    (await server.guest.get(`/api/messages?channel_id=${slug}`)).body.messages;
  await eventually("the channel is shown", async () => (await messages("general-2")).length > 0);
  const shown = await messages("general-2");
  expect(shown.map(({ content }) => content)).toEqual([
    "**Hello** @ben, see #crew :Parrot: 👍",
    "Signed: https://cdn.discordapp.com/attachments/1/2/plan.pdf\n\nplan.pdf (12 bytes)",
    "A question?",
    "An answer",
    "Thanks",
    "Ideas",
    "The first idea",
    "[Build 7](https://ci.example.org/7)\n\nIt _works_\n\n**Branch** `main`\n\n_CI_",
    "I was here",
    "",
    "Its root is gone",
  ]);
  expect(shown[1]?.files?.map(({ name }) => name)).toEqual(["pixel.png"]);
  expect((await server.guest.get("/api/messages?channel_id=crew")).status).toBe(404);

  const again = JSON.parse((await run(...choice)).out) as Report;
  expect(again).toMatchObject({ import_id: line.import_id, counts: { messages: { taken: 0, known: 19 } } });
  const report = readFileSync(line.report, "utf8");
  expect(report).not.toMatch(/hm=|0123abcd/);
  expect(JSON.parse(report).users).toContainEqual(
    expect.objectContaining({ source_name: "Deleted User", state: "suspended" }),
  );
});

test("a dry run counts the same, of a ZIP in which the export is in a folder", async () => {
  const files = Object.fromEntries(Object.entries(sampleExport()).map(([name, value]) => [`export/${name}`, value]));
  const zip = await writeExportZip(join(temporaryFolder(), "export.zip"), files);
  const { code, out } = await cli(
    ["import", "discord", zip, "--dry-run", "--channels", "all", "--with-files", "--json"],
    { PARLEY_DATA_DIR: join(temporaryFolder(), "data") },
  );
  expect(code).toBe(0);
  expect(takenOf(JSON.parse(out))).toEqual(SAMPLE_COUNTS);
  expect(leftOutOf(JSON.parse(out))).toEqual({ ...SAMPLE_LEFT_OUT, "file only_a_link": 1 });
});

test("takes nothing of channels that it does not open, unless private ones are chosen", async () => {
  const folder = await writeExportFolder(join(temporaryFolder(), "export"), sampleExport());
  const dryRun = async (...args: string[]) => {
    const env = { PARLEY_DATA_DIR: join(temporaryFolder(), "data") };
    return JSON.parse((await cli(["import", "discord", folder, "--dry-run", "--json", ...args], env)).out) as Report;
  };
  expect(takenOf(await dryRun())).toMatchObject({ users: 0, channels: 0, messages: 0 });
  expect(takenOf(await dryRun("--open", "crew"))).toMatchObject({ users: 1, channels: 1, messages: 1 });
  expect(takenOf(await dryRun("--open", "all"))).toMatchObject({ channels: 3, messages: 13 });
  expect(takenOf(await dryRun("--channels", "private"))).toMatchObject({ channels: 4, messages: 14 });
});
