import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { cli } from "../support/cli.ts";
import { temporaryFolder } from "../support/config.ts";
import { writeExportZip } from "../support/imports/export-files.ts";
import { importCommand } from "../support/imports/import-command.ts";
import { sampleExport } from "../support/imports/slack-export.ts";
import { eventually, startTestServer, type TestServer } from "../support/servers/test-server.ts";

/** Runs the command on the database of a running server. */
async function importer(server: TestServer) {
  const zip = await writeExportZip(join(temporaryFolder(), "export.zip"), sampleExport());
  return { zip, run: importCommand(server, "slack", zip) };
}

const textsOf = async (client: TestServer["guest"], slug: string): Promise<string[]> =>
  (await client.get(`/api/messages?channel_id=${slug}`)).body.messages.map(
    ({ content }: { content: string }) => content,
  );

interface Report {
  import_id: number;
  status: string;
  counts: Record<string, { taken: number; known: number; left_out: number }>;
  left_out: { kind: string; reason: string }[];
  report: string;
}

describe("an export of Slack that is imported beside a running server", () => {
  test("is there as a whole, with its files, and a second run takes nothing", async () => {
    await using server = await startTestServer({ rateLimits: "off" });
    const { run } = await importer(server);
    const { code, out, err } = await run("--channels", "all", "--with-files", "--yes", "--json");
    expect([code, err]).toEqual([0, expect.stringContaining("Guests can read public channels")]);
    const line = JSON.parse(out) as Report;
    expect(line).toMatchObject({
      status: "done",
      counts: {
        users: { taken: 4 },
        agents: { taken: 2 },
        channels: { taken: 5, left_out: 1 },
        messages: { taken: 17, left_out: 1 },
        files: { taken: 1 },
      },
    });
    const report = JSON.parse(readFileSync(line.report, "utf8"));
    expect(report.users).toContainEqual({
      source_id: "U1ADA",
      source_name: "ada",
      username: "ada",
      state: "claimable",
    });
    expect(report.channels).toContainEqual(
      expect.objectContaining({ source_id: "C1GENERAL", channel_slug: "general-2", channel_id: expect.any(Number) }),
    );

    await eventually("the channel is shown", async () => (await textsOf(server.guest, "general-2")).length > 0);
    expect(await textsOf(server.guest, "general-2")).toContain("A question");
    const messages = (await server.guest.get("/api/messages?channel_id=general-2")).body.messages;
    const [shown] = messages.flatMap(({ files }: { files: { name: string; url: string }[] }) => files);
    expect(shown).toMatchObject({ name: "pixel.png" });
    expect((await server.guest.get(shown.url)).status).toBe(200);
    expect((await server.guest.get("/api/messages?channel_id=secret")).status).toBe(404);
    const audit = await server.ctx.db.selectFrom("audit_log").select(["action", "details"]).orderBy("id").execute();
    expect(audit.map(({ action }) => action)).toEqual(["import_run", "import_open"]);
    expect(JSON.parse(audit[0]?.details ?? "{}")).toMatchObject({ private_channels: 3, accounts_used: [] });

    const said = await run("--channels", "all", "--with-files", "--yes");
    expect(said.out).toContain(`All of it was imported before, as import ${line.import_id}.`);
    expect(JSON.parse(readFileSync(line.report, "utf8")).counts.messages.taken).toBe(17);
    const again = JSON.parse((await run("--channels", "all", "--with-files", "--yes", "--json")).out) as Report;
    expect(again).toMatchObject({ import_id: line.import_id, counts: { messages: { taken: 0, known: 17 } } });
    expect(await textsOf(server.guest, "general-2")).toEqual(
      messages.map(({ content }: { content: string }) => content),
    );
  });

  test("is not touched without a yes to what is private, and leaves that out by default", async () => {
    await using server = await startTestServer({ rateLimits: "off" });
    const { run } = await importer(server);
    const asked = await run("--channels", "all");
    expect(asked.code).toBe(1);
    expect(asked.err).toContain("3 private channels and conversations");
    expect(asked.err).toContain("1 message, more than 1 % of all");
    expect(asked.err).toContain("Nothing was imported");
    expect(await server.ctx.db.selectFrom("imports").select("id").execute()).toEqual([]);

    const { code, out } = await run("--yes", "--json");
    expect(code).toBe(0);
    expect((JSON.parse(out) as Report).counts).toMatchObject({ channels: { taken: 2 }, messages: { taken: 14 } });
    const rows = await server.ctx.db.selectFrom("channels").select(["slug", "is_private"]).orderBy("id").execute();
    expect(rows.filter(({ is_private }) => is_private === 1)).toEqual([]);
  });

  test("stays closed until it is opened, if that is wanted", async () => {
    await using server = await startTestServer({ rateLimits: "off" });
    const { run } = await importer(server);
    const { code, out } = await run("--yes", "--keep-closed");
    expect([code, out]).toEqual([0, expect.stringMatching(/Show it with `parley import open \d+`/)]);
    expect((await server.guest.get("/api/messages?channel_id=general-2")).status).toBe(404);
    expect((await server.guest.get("/api/channels")).body.channels).toHaveLength(1);
  });
});

describe("what an import does not write", () => {
  test("is counted: the messages of a conversation whose other person is left out", async () => {
    await using server = await startTestServer({ rateLimits: "off" });
    const { run } = await importer(server);
    const path = join(temporaryFolder(), "users.csv");
    writeFileSync(path, "source_id,username,action\nU1ADA,,skip\n");
    const line = JSON.parse((await run("--channels", "direct", "--users", path, "--yes", "--json")).out) as Report;
    expect(line.left_out).toContainEqual(expect.objectContaining({ kind: "direct", reason: "nobody_else", count: 1 }));
    expect(line.left_out).toContainEqual(expect.objectContaining({ kind: "message", reason: "nobody_else", count: 1 }));
  });

  test("is not stored either: files of messages that an earlier import has taken", async () => {
    await using server = await startTestServer({ rateLimits: "off" });
    const { run } = await importer(server);
    expect((await run("--with-files", "--yes")).code).toBe(0);
    const files = await server.ctx.db.selectFrom("files").select("id").execute();
    expect(files).toHaveLength(1);
    const more = JSON.parse((await run("--channels", "all", "--with-files", "--yes", "--json")).out) as Report;
    expect(more.counts.messages).toMatchObject({ taken: 3, known: 14 });
    expect(await server.ctx.db.selectFrom("files").select("id").execute()).toEqual(files);
  });

  test("is asked about first, if a limit of age would remove it", async () => {
    await using server = await startTestServer({ rateLimits: "off" });
    const { zip } = await importer(server);
    const env = { PARLEY_DATA_DIR: join(temporaryFolder(), "data"), PARLEY_RETENTION_DAYS: "30" };
    const { code, err } = await cli(["import", "slack", zip], env);
    expect([code, err]).toEqual([1, expect.stringContaining("14 messages of 14 would be removed within the hour")]);
  });

  test("leaves nothing staged when a question is answered with no", async () => {
    const data = join(temporaryFolder(), "data");
    await using server = await startTestServer({ rateLimits: "off" });
    const { zip } = await importer(server);
    expect((await cli(["import", "slack", zip, "--channels", "all"], { PARLEY_DATA_DIR: data })).code).toBe(1);
    expect(readdirSync(join(data, "imports/staged"))).toEqual([]);
  });
});

describe("the table of people", () => {
  const table = (...lines: string[]): string => {
    const path = join(temporaryFolder(), "users.csv");
    writeFileSync(path, ["source_id,source_name,email,username,action", ...lines, ""].join("\n"));
    return path;
  };

  test("gives people other names, accounts that are there, or leaves them out", async () => {
    await using server = await startTestServer({ rateLimits: "off" });
    await server.user("benjamin");
    const { run } = await importer(server);
    const users = table("U1ADA,ada,,ada.l,new", "U2BEN,ben,,benjamin,use", "B9HOOK,alerts,,,skip");
    const { code, out } = await run("--yes", "--json", "--users", users);
    expect(code).toBe(0);
    const line = JSON.parse(out) as Report;
    const report = JSON.parse(readFileSync(line.report, "utf8"));
    expect(report.users).toContainEqual(
      expect.objectContaining({ source_id: "U2BEN", username: "benjamin", state: "existing" }),
    );
    expect(report.users).toContainEqual(expect.objectContaining({ source_id: "U1ADA", username: "ada.l" }));
    expect(report.agents.map(({ source_id }: { source_id: string }) => source_id)).toEqual(["U4BOT"]);
    expect(line.left_out).toContainEqual(expect.objectContaining({ kind: "message", reason: "not_chosen" }));
    await eventually("the channel is shown", async () => (await textsOf(server.guest, "general-2")).length > 0);
    const texts = await textsOf(server.guest, "general-2");
    expect(texts.find((text) => text.startsWith("Hello"))).toContain("@benjamin");
    const audit = await server.ctx.db
      .selectFrom("audit_log")
      .select("details")
      .where("action", "=", "import_run")
      .execute();
    expect(JSON.parse(audit[0]?.details ?? "{}")).toMatchObject({ accounts_used: ["benjamin"] });
  });

  test("asks before an administrator's account is used", async () => {
    await using server = await startTestServer({ rateLimits: "off" });
    await server.user("root-of-all");
    await server.ctx.db.updateTable("users").set({ admin_level: 2 }).where("username", "=", "root-of-all").execute();
    const { run } = await importer(server);
    const users = table("U2BEN,ben,,root-of-all,use");
    expect(await run("--users", users)).toMatchObject({
      code: 1,
      err: expect.stringContaining("will be those of root-of-all, who is an administrator here"),
    });
  });

  test("is refused with what is wrong in it, and nothing is imported", async () => {
    await using server = await startTestServer({ rateLimits: "off" });
    const { run } = await importer(server);
    const refusals = [
      [table("U2BEN,ben,,nobody-here,use"), /Line 2 .* uses the account "nobody-here", which does not exist/],
      [table("U2BEN,ben,,ben,keep"), /Line 2 .* has the action "keep"\. Use new, use, agent or skip/],
      [table("U2BEN,ben,,ben,new", "U2BEN,ben,,ben,skip"), /Line 3 .* names "U2BEN", which a line before does/],
      [table(',ben,,ben,"new'), /is no CSV/],
      [table("U4BOT,bot,,ben,new"), /gives an account to "U4BOT", which is a bot/],
      [table(",ben,,ben,new"), /Line 2 .* has no source_id/],
      ["/nowhere/users.csv", /There is no file \/nowhere\/users\.csv/],
    ] as const;
    for (const [users, says] of refusals)
      expect(await run("--yes", "--users", users)).toMatchObject({ code: 1, err: expect.stringMatching(says) });
    expect(await run("--yes", "--as-owner", "nobody-here")).toMatchObject({
      code: 1,
      err: expect.stringContaining('no account "nobody-here" for --as-owner'),
    });
    expect(await server.ctx.db.selectFrom("imports").select("id").execute()).toEqual([]);
  });
});
