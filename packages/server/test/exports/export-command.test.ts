import { describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { cli } from "../support/cli.ts";
import { temporaryFolder } from "../support/config.ts";
import { listOf, messagesOf, recordsOf } from "../support/exports/read-export.ts";
import { envOf } from "../support/exports/round-trip.ts";
import { fillServer } from "../support/exports/scene.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import { startTestServer } from "../support/servers/test-server.ts";

const server = await forAllTests(startTestServer({ rateLimits: "off" }));
await fillServer(server);
const newPath = (): string => join(temporaryFolder(), "export");
const run = (format: string, path: string, ...more: string[]) =>
  cli(["export", "--format", format, path, ...more], envOf(server.config));

const slugsOf = (path: string): string[] =>
  recordsOf(path, "channel")
    .map(({ name }) => name)
    .sort();

describe("which channels an export takes", () => {
  test("are the public ones, with nothing of the others, unless the command says more", async () => {
    const path = newPath();
    const { code, out, err } = await run("mattermost", path, "--json");
    expect([code, err]).toEqual([0, expect.any(String)]);
    expect(slugsOf(path)).toEqual(["general", "town"]);
    expect(recordsOf(path, "direct_channel")).toEqual([]);
    const text = readFileSync(join(path, "import.jsonl"), "utf8");
    expect([text.includes("This is secret"), text.includes("Only for you"), text.includes("To all three")]).toEqual([
      false,
      false,
      false,
    ]);
    expect(JSON.parse(out).counts.channels).toMatchObject({ taken: 2, left_out: 4 });
  });

  test("are private ones and conversations only after a yes, which is audited with what was taken", async () => {
    const path = newPath();
    const asked = await run("mattermost", path, "--channels", "all");
    expect(asked.code).toBe(1);
    expect(asked.err).toContain("takes 4 private channels and conversations with 4 messages");
    expect(asked.err).toContain("Nothing was exported");
    expect(existsSync(path)).toBe(false);
    const audits = () =>
      server.ctx.db.selectFrom("audit_log").selectAll().where("action", "=", "export_run").orderBy("id").execute();
    const before = (await audits()).length;
    expect((await run("mattermost", path, "--channels", "secret,-town", "--yes")).code).toBe(0);
    expect(slugsOf(path)).toEqual(["secret"]);
    const [entry, ...more] = (await audits()).slice(before);
    expect([entry?.actor, entry?.subject, more]).toEqual(["command line", "export:mattermost", []]);
    expect(JSON.parse(entry?.details ?? "")).toMatchObject({
      channels: 1,
      private_channels: 1,
      private_channel_ids: [expect.any(Number)],
      with_files: false,
    });
  });

  test("have other names if the command says so, and names that no channel has are refused", async () => {
    const path = newPath();
    expect((await run("slack", path, "--channels", "town=city")).code).toBe(0);
    expect(listOf(path, "channels.json").map(({ name }) => name)).toEqual(["city"]);
    expect(await run("slack", newPath(), "--channels", "towm")).toMatchObject({
      code: 1,
      err: expect.stringContaining('This server has no channel named "towm"'),
    });
    expect(await run("slack", newPath(), "--channels", "town=general,general")).toMatchObject({
      code: 1,
      err: expect.stringContaining("gives two channels the name general"),
    });
  });
});

describe("which messages an export takes", () => {
  test("are those of the people whom the command names", async () => {
    const path = newPath();
    const { code, out } = await run("slack", path, "--users=-@ben", "--json");
    expect(code).toBe(0);
    const town = messagesOf(path, "town");
    expect(town.some(({ text }) => text.startsWith("A question"))).toBe(false);
    // The question has replies by others.
    expect(town.filter(({ subtype }) => subtype === "tombstone")).toHaveLength(2);
    expect(listOf(path, "users.json").map(({ name }) => name)).not.toContain("ben");
    expect(JSON.parse(out).left_out).toContainEqual(expect.objectContaining({ kind: "message", reason: "not_chosen" }));
    expect(await run("slack", newPath(), "--users", "nobody-here")).toMatchObject({
      code: 1,
      err: expect.stringContaining('nobody named "nobody-here"'),
    });
  });

  test("are those since a time", async () => {
    const path = newPath();
    const { code, out } = await run("mattermost", path, "--since", "2200-01-01", "--json");
    expect(code).toBe(0);
    expect(JSON.parse(out).counts.messages).toMatchObject({ taken: 0 });
    expect(await run("mattermost", newPath(), "--since", "soon")).toMatchObject({ code: 2 });
  });

  test("name their files, without their bytes, unless the command says otherwise", async () => {
    const path = newPath();
    expect((await run("mattermost", path)).code).toBe(0);
    const post = recordsOf(path, "post").find(({ message }) => message.startsWith("Two files"));
    expect(post.message).toMatch(/^Two files\n\nein Bild\.png \(\d.*\)\nnotes & more\.txt \(10 bytes\)$/);
    expect(existsSync(join(path, "data/files"))).toBe(false);
  });
});

describe("where an export is written", () => {
  test("is for the user of the command only, with a report beside it", async () => {
    const path = newPath();
    expect((await run("mattermost", path, "--with-files")).code).toBe(0);
    for (const name of readdirSync(path, { recursive: true, encoding: "utf8" }))
      expect([name, (statSync(join(path, name)).mode & 0o077).toString(8)]).toEqual([name, "0"]);
    expect(statSync(`${path}.report.json`).mode & 0o077).toBe(0);
    expect(readdirSync(path).sort()).toEqual(["data", "import.jsonl"]);
  });

  test("is new or empty", async () => {
    const path = newPath();
    mkdirSync(path);
    writeFileSync(join(path, "letter.txt"), "Dear Ada");
    expect(await run("slack", path)).toMatchObject({ code: 1, err: expect.stringContaining("is not empty") });
    expect(readdirSync(path)).toEqual(["letter.txt"]);
    // Only the mark of an export makes what is beside it the export's.
    writeFileSync(join(path, "INCOMPLETE.txt"), "Page two is missing");
    expect(await run("slack", path)).toMatchObject({ code: 1, err: expect.stringContaining("is not empty") });
    expect(readdirSync(path).sort()).toEqual(["INCOMPLETE.txt", "letter.txt"]);
    const zip = `${newPath()}.zip`;
    expect((await run("slack", zip)).code).toBe(0);
    expect(await run("slack", zip)).toMatchObject({ code: 1, err: expect.stringContaining("exists") });
  });

  test("has a form that the command knows", async () => {
    for (const args of [[], ["--format", "discord"]])
      expect(await cli(["export", newPath(), ...args], envOf(server.config))).toMatchObject({
        code: 2,
        err: expect.stringContaining("--format takes mattermost or slack"),
      });
  });
});
