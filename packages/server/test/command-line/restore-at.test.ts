import { Database } from "bun:sqlite";
import { beforeAll, expect, test } from "bun:test";
import { existsSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isoTime } from "../../src/base/iso-time.ts";
import { FolderReplica } from "../../src/replica/storage-folder.ts";
import { cliProcess } from "../support/cli.ts";
import { temporaryFolder } from "../support/config.ts";
import { SmallReplica } from "../support/replica/small-replica.ts";
import { ChildServer, freePort } from "../support/servers/child-server.ts";

const HOUR = 3_600_000;
const now = Date.now();
const [EARLIER, LATER] = [now - 3 * HOUR, now - HOUR];
const ID = "d".repeat(32);

let folder = "";
let dataDir = "";
let replica = "";
let keys: { old: string; late: string };
let epoch = "";

/** Runs a command that must succeed. */
async function run(...args: string[]) {
  const { code, out, err } = await cliProcess([...args, "--json"], { PARLEY_DATA_DIR: dataDir });
  if (code !== 0) throw new Error(`${args.join(" ")}: ${err}`);
  return JSON.parse(out);
}

/** A database with a replica that has two moments of it, three hours and one hour ago. */
beforeAll(async () => {
  folder = temporaryFolder();
  dataDir = join(folder, "data");
  replica = join(folder, "replica");
  epoch = (await run("migrate")).epoch;
  const path = join(dataDir, "parley.sqlite");
  // While it is open, no command copies the log back into the file when it ends.
  using keeper = new Database(path);
  keeper.run("pragma wal_autocheckpoint = 0");
  keeper.run("insert into meta (key, value) values ('replica_database', ?)", [ID]);
  for (const name of ["ann", "bea", "cleo"]) await run("user", "create", name, "--link");
  keys = { old: (await run("key", "issue", "--agent", "Scout")).key_id, late: "" };
  const ids = new Map(
    keeper
      .query<{ id: number; username: string }, []>("select id, username from users")
      .all()
      .map(({ id, username }) => [username, id]),
  );
  const ann = ids.get("ann") ?? 0;
  putDue(keeper, ann);
  keeper.run(
    "insert into channel_bans (channel_id, member_key, user_id, banned_by, created_at) values (1, ?, ?, 'olga', 1)",
    [`u${ids.get("cleo")}`, ids.get("cleo") ?? 0],
  );
  putSession(keeper, ann, "a");
  keeper.run("pragma wal_checkpoint(truncate)");
  const small = new SmallReplica(new FolderReplica(replica), path, { database: ID });
  await small.begin(EARLIER, epoch);
  keeper.run("insert into meta (key, value) values ('tick', '1')");
  await small.tick(EARLIER);
  await small.snapshot(EARLIER);
  await run("user", "suspend", "ann", "--until", "2099-01-01T00:00:00Z");
  await run("key", "revoke", keys.old);
  await run("user", "erase", "bea");
  keys.late = (await run("key", "issue", "--agent", "Late")).key_id;
  keeper.run("delete from channel_bans");
  putSession(keeper, ids.get("cleo") ?? 0, "b");
  await small.tick(LATER);
}, 120_000);

/** Things that are due, of which the third of each kind only after the newest state. */
function putDue(database: Database, ann: number): void {
  const times = [EARLIER - HOUR, LATER - HOUR / 2, now + HOUR];
  for (const at of times) {
    database.run(
      `insert into scheduled_messages (user_id, channel_id, content, also_in_channel, send_at, status, created_at)
        values (?, 1, 'later', 0, ?, 'waiting', 1)`,
      [ann, at],
    );
    database.run(
      "insert into reminders (user_id, message_id, channel_id, remind_at, status, created_at) values (?, 1, 1, ?, 'waiting', 1)",
      [ann, at],
    );
    database.run(
      `insert into mails (user_id, kind, parameters, epoch, state, due_at, expires_at, message_id, created_at)
        values (?, 'confirm_address', '{}', ?, 'waiting', ?, ?, ?, 1)`,
      [ann, epoch, at, at + 24 * HOUR, `<${at}@example.org>`],
    );
  }
  database.run("insert into digests (user_id, token, pending, since, due_at) values (?, 't', 1, 1, ?)", [
    ann,
    EARLIER - HOUR,
  ]);
  database.run(
    `insert into webhooks (id, channel_id, url, events, secret, status, position, created_at)
      values (7, 1, 'https://hooks.example.org/secret-path', '["message.new"]', 'whsec_', 'active', 0, 1)`,
  );
  for (const [source, at] of times.entries())
    database.run(
      `insert into webhook_deliveries (webhook_id, round, event, source, status, due_at, created_at)
        values (7, 0, 'message.new', ?, 'waiting', ?, 1)`,
      [source + 1, at],
    );
}

function putSession(database: Database, userId: number, token: string): void {
  database.run(
    `insert into sessions (token_hash, user_id, created_at, authenticated_at, last_seen_at, expires_at)
      values (?, ?, ?, ?, ?, ?)`,
    [token.repeat(64), userId, now, now, now, now + 24 * HOUR],
  );
}

/** A copy of the data folder, as it was at the end, or an empty one. */
async function restoreIn(place: "there" | "lost", ...args: string[]) {
  const own = join(temporaryFolder(), "data");
  const env = { PARLEY_DATA_DIR: own, PARLEY_REPLICA: replica };
  if (place === "there") await cliProcess(["restore", "--at", "newest"], env);
  const result = await cliProcess(["restore", ...args, "--json"], env);
  return { ...result, env, path: join(own, "parley.sqlite"), body: result.code === 0 ? JSON.parse(result.out) : null };
}

const rowsOf = (path: string, query: string): unknown[] => {
  using database = new Database(path, { readonly: true });
  return database.query(query).values();
};

test("the newest state is restored after the loss of the disk: nothing is undone, and what was due is not sent again", async () => {
  const { code, err, body, path } = await restoreIn("lost", "--at", "newest");
  expect({ code, err }).toMatchObject({ code: 0 });
  expect(body).toMatchObject({ restored_to: isoTime(LATER), next_commit: null, kept: null, undone: null });
  expect(body.epoch).not.toBe(epoch);
  const due = Object.fromEntries(
    body.not_sent.map(({ what, count }: { what: string; count: number }) => [what, count]),
  );
  // A restored server sends no mail that was asked for before, so a mail whose next try is later has ended, too.
  expect(due).toMatchObject({ "scheduled message": 2, reminder: 2, mail: 3, digest: 1 });
  expect(JSON.stringify(body.not_sent)).not.toContain("secret-path");
  expect(rowsOf(path, "select status, failure from scheduled_messages order by send_at")).toEqual([
    ["failed", "missed"],
    ["failed", "missed"],
    ["waiting", null],
  ]);
  expect(rowsOf(path, "select status from reminders order by remind_at")).toEqual([["done"], ["done"], ["waiting"]]);
  expect(rowsOf(path, "select state, reason from mails order by due_at")).toEqual([
    ["dropped", "restored"],
    ["dropped", "restored"],
    ["dropped", "restored"],
  ]);
  expect(rowsOf(path, "select pending from digests")).toEqual([[0]]);
  expect(rowsOf(path, "select status, result from webhook_deliveries order by due_at")).toEqual([
    ["dead", "restored"],
    ["dead", "restored"],
    ["waiting", null],
  ]);
  expect(rowsOf(path, "select position - last_seq from webhooks, channels where channels.id = 1")).toEqual([[0]]);
  expect(rowsOf(path, "select value from meta where key = 'replica_database'")).toEqual([[ID]]);
});

test("what was made after the time is listed with the commands that do it again, and they do it", async () => {
  const { code, err, body, env, path } = await restoreIn("lost", "--at", isoTime(EARLIER + HOUR));
  expect({ code, err }).toMatchObject({ code: 0 });
  expect(body).toMatchObject({ restored_to: isoTime(EARLIER), next_commit: isoTime(LATER), newest: isoTime(LATER) });
  const undone: { kind: string; text: string; again: string[] | null }[] = body.undone;
  expect(undone.map(({ kind, again }) => [kind, again])).toEqual([
    ["erasure", ["user", "erase", "bea"]],
    ["key_revoked", ["key", "revoke", keys.old]],
    ["suspension", ["user", "suspend", "ann", "--until", "2099-01-01T00:00:00.000Z"]],
    ["ban_lifted", null],
    ["session_ended", ["user", "suspend", "ann"]],
    ["session_made", null],
    ["key_made", null],
  ]);
  expect(undone.at(-1)?.text).toContain(`ply_${keys.late}`);
  for (const { again } of undone) if (again !== null) expect((await cliProcess(again, env)).code).toBe(0);
  expect(rowsOf(path, "select count(*) from erasures")).toEqual([[1]]);
  expect(rowsOf(path, `select revoked_at is null from api_keys where id = '${keys.old}'`)).toEqual([[0]]);
});

test("the words on the terminal have the commands", async () => {
  const env = { PARLEY_DATA_DIR: join(temporaryFolder(), "data") };
  const { code, out } = await cliProcess(["restore", "--at", "2h", "--from", replica], env);
  expect(code).toBe(0);
  expect(out).toContain("is restored from");
  expect(out).toMatch(/the account of bea was deleted on .*, and is back with its data\n.* user erase bea\n/);
  expect(out).toContain("Not sent again, because it was due before:");
});

test("a database with newer changes is kept and compared, and one of another replica is not replaced", async () => {
  const { code, body, path } = await restoreIn("there", "--at", "2h");
  expect(code).toBe(0);
  expect(existsSync(body.kept)).toBe(true);
  expect(body.undone).not.toBeNull();
  const other = await restoreIn("lost", "--at", "newest");
  using database = new Database(other.path);
  database.run("update meta set value = ? where key = 'replica_database'", ["0".repeat(32)]);
  const refused = await cliProcess(["restore", "--at", "newest"], other.env);
  expect(refused).toMatchObject({ code: 1, out: "" });
  expect(refused.err).toContain("is of another database than");
  expect(readdirSync(join(path, "..")).filter((name) => name.includes("restoring"))).toEqual([]);
});

test("a damaged database prevents no restore", async () => {
  const { env, path } = await restoreIn("lost", "--at", "newest");
  for (const end of ["-wal", "-shm"]) rmSync(path + end, { force: true });
  writeFileSync(path, "no database ".repeat(1_000));
  const again = await cliProcess(["restore", "--at", "newest", "--json"], env);
  expect(again).toMatchObject({ code: 0 });
  expect(existsSync(JSON.parse(again.out).kept)).toBe(true);
});

test("a restored server runs, and refuses another restore meanwhile", async () => {
  const { env, path } = await restoreIn("lost", "--at", "newest");
  await using server = new ChildServer(join(path, ".."), freePort());
  await server.start();
  const refused = await cliProcess(["restore", "--at", "newest"], env);
  expect(refused.err).toContain("Stop it, then restore");
  await server.end("SIGTERM");
});

test("restore list, restore check and impossible wishes", async () => {
  const env = { PARLEY_DATA_DIR: join(temporaryFolder(), "data"), PARLEY_REPLICA: replica };
  const list = JSON.parse((await cliProcess(["restore", "list", "--json"], env)).out);
  expect(list.times).toMatchObject([{ from: isoTime(EARLIER), to: isoTime(LATER), snapshots: 1 }]);
  const check = await cliProcess(["restore", "check", "--json"], env);
  expect(check).toMatchObject({ code: 0 });
  expect(JSON.parse(check.out)).toMatchObject({ restored_to: isoTime(LATER) });
  const wrong: [string[], number, string][] = [
    [["restore", "--at", "yesterday"], 2, "is not a time"],
    [["restore", "--at", "9d"], 1, "Choose a later time"],
    [["restore", "--at", "newest", "--from", join(folder, "absent")], 1, "There is no replica at"],
    [["restore", "file", "--at", "newest"], 2, "Choose one of them"],
    [["restore"], 2, "Say what to restore"],
  ];
  for (const [args, code, text] of wrong) {
    const result = await cliProcess(args, env);
    expect({ args, code: result.code, err: result.err }).toEqual({ args, code, err: expect.stringContaining(text) });
  }
  const bare = await cliProcess(["restore", "list"], { PARLEY_DATA_DIR: dataDir });
  expect(bare.err).toContain("Neither PARLEY_REPLICA nor --from");
  // A check of a replica whose log is damaged fails, and says so.
  const copy = join(temporaryFolder(), "copy");
  Bun.spawnSync(["cp", "-r", replica, copy]);
  const log = join(copy, "chains/000001-aaaabbbb/log");
  const last = readdirSync(log).sort().at(-1) ?? "";
  renameSync(join(log, last), join(log, last.replace(/\d$/, "9")));
  const failed = await cliProcess(["restore", "check"], { ...env, PARLEY_REPLICA: copy });
  expect(failed).toMatchObject({ code: 1, err: expect.stringContaining("is missing") });
}, 60_000);
