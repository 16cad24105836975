import { expect, test } from "bun:test";
import { join } from "node:path";
import { cliProcess } from "../support/cli.ts";
import { temporaryFolder } from "../support/config.ts";
import { SERVER_DATABASES } from "../support/databases.ts";
import { placeOn } from "../support/faults/kill-at-each.ts";
import { Random } from "../support/faults/random.ts";
import { writeExportZip } from "../support/imports/export-files.ts";
import { dayOf, PIXEL, said, slackChannel, slackFile, slackUser, ts } from "../support/imports/slack-export.ts";

const KILLED = join(import.meta.dir, "../support/faults/killed-command.ts");
const MESSAGES = 2_500;
/** Messages of the first export and those that the later one adds. */
const [EARLIER, ADDED] = [200, 900];
const DRAWN = 4;
const NO_KILL = 1_000_000;

/** An export with threads, reactions and a file, which takes several transactions to write. */
function bigExport(count = MESSAGES): Promise<string> {
  const talk = Array.from({ length: count }, (_, at) =>
    said(at % 2 === 0 ? "U1" : "U2", at, `Word ${at}`, {
      ...(at % 10 === 0 ? { thread_ts: ts(at), reply_count: 1 } : {}),
      ...(at % 10 === 3 ? { thread_ts: ts(at - 3) } : {}),
      ...(at % 7 === 0 ? { reactions: [{ name: "+1", users: ["U1", "U2"], count: 2 }] } : {}),
      ...(at === 1_200 ? { files: [slackFile("F1", "pixel.png", PIXEL.length)] } : {}),
    }),
  );
  return writeExportZip(join(temporaryFolder(), "export.zip"), {
    "users.json": [slackUser("U1", "ann"), slackUser("U2", "bob")],
    "channels.json": [slackChannel("C1", "talk", ["U1", "U2"])],
    [`talk/${dayOf(0)}`]: talk,
    "__uploads/F1/pixel.png": PIXEL,
  });
}

/** Returns a function that runs a command, and one whose command kills itself before a statement; it returns false if that ended before. */
function commandsIn(place: Awaited<ReturnType<typeof placeOn>>) {
  const env = { ...place.env, PARLEY_DATA_DIR: place.folder };
  const parley = (...args: string[]) => cliProcess(args, env);
  const killed = async (fatal: number, ...args: string[]): Promise<boolean> => {
    const child = Bun.spawn([process.execPath, KILLED, ...args], {
      env: { PATH: process.env.PATH ?? "", ...env, PARLEY_TEST_FATAL: String(fatal), PARLEY_TEST_WORK: "." },
      stdin: "ignore",
      stdout: "ignore",
      stderr: "ignore",
    });
    await child.exited;
    return child.signalCode === "SIGKILL";
  };
  return { parley, killed };
}

/** Protocol §14.1: an import that is killed goes on where it stopped. Nothing is there twice, and nothing is missing. */
for (const database of SERVER_DATABASES) {
  test(`an import into ${database} that is killed at drawn statements, and its undoing, leave no gap and nothing twice`, async () => {
    await using place = await placeOn(database);
    const zip = await bigExport();
    const { parley, killed } = commandsIn(place);
    const taken = async () => ({
      messages: await place.query(
        "select seq, content, created_at, sender_name, thread, reactions from messages where channel_id = (select id from channels where slug = 'talk') order by seq",
      ),
      reactions: await place.query("select count(*) as n from reactions"),
      files: await place.query("select name, sha256 from files order by id"),
      users: await place.query("select username from users order by username"),
    });

    const run = ["import", "slack", zip, "--with-files"];
    expect(await killed(NO_KILL, ...run)).toBe(false);
    const expected = await taken();
    expect(expected.messages).toHaveLength(MESSAGES);
    expect(expected.files).toHaveLength(1);
    const random = new Random(47);
    let kills = 0;
    for (let round = 1; round <= DRAWN; round += 1) {
      if (await killed(1 + random.below(120), "import", "undo", String(round))) kills += 1;
      expect(await parley("import", "undo", String(round))).toMatchObject({ code: 0 });
      expect(await place.query("select id from messages where channel_id > 0")).toEqual([]);
      expect(await place.query("select username from users")).toEqual([]);
      for (let tries = 0; tries < 2; tries += 1) if (await killed(1 + random.below(400), ...run)) kills += 1;
      expect(await parley(...run)).toMatchObject({ code: 0 });
      expect(await taken()).toEqual(expected);
    }
    expect(kills).toBeGreaterThan(DRAWN);
  });
  // Protocol §14.7.
  test(`a later export into ${database} that is killed at drawn statements, and its undoing, leave no gap and nothing twice`, async () => {
    await using place = await placeOn(database);
    const { parley, killed } = commandsIn(place);
    const [first, later] = [await bigExport(EARLIER), await bigExport(EARLIER + ADDED)];
    const run = ["import", "slack", later, "--with-files"];
    const taken = async () => {
      const rows = await place.query(
        `select seq, content, created_at, sender_name, reactions, thread_root_id is null as own from messages
          where channel_id = (select id from channels where slug = 'talk') order by seq`,
      );
      return {
        seqs: rows.map((row) => Number((row as { seq: number }).seq)),
        messages: rows.map((row) => ({ ...(row as object), seq: 0 })),
        reactions: await place.query("select count(*) as n from reactions"),
        elsewhere: await place.query(
          "select count(*) as n from messages where channel_id > 0 and channel_id <> (select id from channels where slug = 'talk')",
        ),
        channels: await place.query("select slug from channels order by slug"),
      };
    };
    expect(await parley("import", "slack", first, "--with-files")).toMatchObject({ code: 0 });
    const before = await taken();
    expect(before.messages).toHaveLength(EARLIER);
    expect(await parley(...run)).toMatchObject({ code: 0 });
    const expected = await taken();
    expect(expected.messages).toHaveLength(EARLIER + ADDED);
    const random = new Random(75);
    let kills = 0;
    for (let round = 2; round < 4; round += 1) {
      if (await killed(1 + random.below(60), "import", "undo", String(round))) kills += 1;
      expect(await parley("import", "undo", String(round))).toMatchObject({ code: 0 });
      expect(await taken()).toEqual(before);
      for (let tries = 0; tries < 2; tries += 1) if (await killed(1 + random.below(200), ...run)) kills += 1;
      expect(await parley(...run)).toMatchObject({ code: 0 });
      const { seqs, ...rest } = await taken();
      const { seqs: earlier, ...wanted } = expected;
      expect(rest).toEqual(wanted);
      // The numbers of what was undone are passed over; the added ones follow each other.
      expect(seqs.slice(0, EARLIER)).toEqual(earlier.slice(0, EARLIER));
      expect((seqs.at(-1) ?? 0) - (seqs[EARLIER] ?? 0)).toBe(ADDED - 1);
    }
    expect(kills).toBeGreaterThan(2);
  });
}
