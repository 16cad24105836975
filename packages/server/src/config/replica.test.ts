import { expect, test } from "bun:test";
import { problemsOf } from "../../test/support/config.ts";
import { loadConfig } from "./load-config.ts";

const KEYS = { PARLEY_S3_ACCESS_KEY: "access", PARLEY_S3_SECRET_KEY: "secret" };

test.each([
  ["/mnt/other/replica/", { kind: "folder", path: "/mnt/other/replica" }],
  ["s3://bucket/chat/", { kind: "s3", bucket: "bucket", prefix: "chat/" }],
])("PARLEY_REPLICA %s is %p", (PARLEY_REPLICA, expected) => {
  const config = loadConfig({ PARLEY_DATA_DIR: "/srv/parley", PARLEY_REPLICA, ...KEYS });
  expect([config.replica as unknown, config.replicaDays]).toEqual([expected, 7]);
});

test.each([
  ["an address of another kind", { PARLEY_REPLICA: "ftp://host/x" }, /^PARLEY_REPLICA must /],
  ["a bucket without a name", { PARLEY_REPLICA: "s3://", ...KEYS }, /^PARLEY_REPLICA must /],
  [
    "PostgreSQL",
    { PARLEY_REPLICA: "/mnt/r", DATABASE_URL: "postgres://db/chat" },
    /^PARLEY_REPLICA copies SQLite only.*docs\/guide\/point-in-time\.md/,
  ],
  ["the folder of the data", { PARLEY_REPLICA: "/srv/parley", PARLEY_DATA_DIR: "/srv/parley" }, /a folder of its own/],
  ["the folder of backups", { PARLEY_REPLICA: "/srv/b", PARLEY_BACKUP_DIR: "/srv/b" }, /a folder of its own/],
  ["no days", { PARLEY_REPLICA: "/mnt/r", PARLEY_REPLICA_DAYS: "0" }, /^PARLEY_REPLICA_DAYS must /],
])("a replica with %s is refused", (_, env, problem) => {
  expect(problemsOf(env)).toEqual([expect.stringMatching(problem)]);
});

test("a bucket needs both keys", () => {
  expect(problemsOf({ PARLEY_REPLICA: "s3://bucket" })).toEqual([
    expect.stringMatching(/^PARLEY_S3_ACCESS_KEY must be set/),
    expect.stringMatching(/^PARLEY_S3_SECRET_KEY must be set/),
  ]);
});
