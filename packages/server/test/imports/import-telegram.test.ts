import { expect, test } from "bun:test";
import { join } from "node:path";
import { cli } from "../support/cli.ts";
import { temporaryFolder } from "../support/config.ts";
import { writeExportFolder, writeExportZip } from "../support/imports/export-files.ts";
import { importCommand } from "../support/imports/import-command.ts";
import { SAMPLE_COUNTS, SAMPLE_LEFT_OUT, sampleExport } from "../support/imports/telegram-export.ts";
import { eventually, startTestServer } from "../support/servers/test-server.ts";

interface Report {
  import_id: number;
  status: string;
  counts: Record<string, { taken: number; known: number; left_out: number }>;
  left_out: { kind: string; reason: string; count: number }[];
}

const takenOf = ({ counts }: Report): Record<string, number> =>
  Object.fromEntries(Object.entries(counts).map(([name, { taken }]) => [name, taken]));
const leftOutOf = ({ left_out }: Report): Record<string, number> =>
  Object.fromEntries(left_out.map(({ kind, reason, count }) => [`${kind} ${reason}`, count]));

test("is imported beside a running server, and a second run takes nothing", async () => {
  await using server = await startTestServer({ rateLimits: "off" });
  const folder = await writeExportFolder(join(temporaryFolder(), "export"), sampleExport());
  const choice = ["--channels", "all", "--open", "Harbour", "--with-files", "--yes", "--json"];
  const command = importCommand(server, "telegram", folder);
  const run = async () => JSON.parse((await command(...choice)).out) as Report;
  const line = await run();
  expect(line.status).toBe("done");
  expect(takenOf(line)).toEqual(SAMPLE_COUNTS);
  expect(leftOutOf(line)).toEqual({ ...SAMPLE_LEFT_OUT, "file no_bytes": 1 });

  const messages = async (slug: string): Promise<{ content: string; sender_name: string }[]> =>
    (await server.guest.get(`/api/messages?channel_id=${slug}`)).body.messages;
  await eventually("the channel is shown", async () => (await messages("harbour")).length > 0);
  expect((await messages("harbour")).map(({ content }) => content)).toEqual([
    "Boats",
    "In the topic",
    "Quoted in the topic",
    "General",
    "Post",
  ]);
  expect((await server.guest.get("/api/messages?channel_id=crew")).status).toBe(404);
  expect(await run()).toMatchObject({ import_id: line.import_id, counts: { messages: { taken: 0, known: 16 } } });
});

test("a dry run counts the same of a ZIP, and takes no group that is not opened by default", async () => {
  const files = Object.fromEntries(Object.entries(sampleExport()).map(([name, value]) => [`export/${name}`, value]));
  const zip = await writeExportZip(join(temporaryFolder(), "export.zip"), files);
  const words = async (...args: string[]) => {
    const env = { PARLEY_DATA_DIR: join(temporaryFolder(), "data") };
    return (await cli(["import", "telegram", zip, "--dry-run", ...args], env)).out;
  };
  const dryRun = async (...args: string[]) => JSON.parse(await words("--json", ...args)) as Report;
  expect(takenOf(await dryRun("--channels", "all", "--with-files"))).toEqual(SAMPLE_COUNTS);
  expect(takenOf(await dryRun())).toMatchObject({ channels: 0, messages: 0 });
  expect(await words()).toContain("No channel and no conversation is chosen.");
  expect(await words("--channels", "Crew")).not.toContain("is chosen.");
  expect(takenOf(await dryRun("--channels", "Crew"))).toMatchObject({ users: 3, channels: 1, messages: 8 });
});
