import { describe, expect, test } from "bun:test";
import { resolve } from "node:path";
import { problemsOf } from "../../test/support/config.ts";
import { loadConfig } from "./load-config.ts";

const KEYS = { PARLEY_S3_ACCESS_KEY: "access", PARLEY_S3_SECRET_KEY: "secret" };

describe("PARLEY_FILES", () => {
  test.each([
    [undefined, { kind: "folder", path: "/srv/parley/files" }],
    ["/mnt/files/", { kind: "folder", path: "/mnt/files" }],
    ["shared", { kind: "folder", path: resolve("shared") }],
    ["s3://chat-files", { kind: "s3", bucket: "chat-files", prefix: "" }],
    ["s3://chat.files/a/b/", { kind: "s3", bucket: "chat.files", prefix: "a/b/" }],
  ])("%p is %p", (PARLEY_FILES, expected) => {
    const config = loadConfig({ PARLEY_DATA_DIR: "/srv/parley", PARLEY_FILES, ...KEYS });
    expect(config.files as unknown).toEqual(expected);
  });

  test.each([
    "s3://",
    "s3:///prefix",
    "s3://UPPER/x",
    "s3://bucket/../x",
    "s3://bucket//x",
    "s3://bucket/a b",
    "ftp://host/x",
  ])("%s is refused", (PARLEY_FILES) => {
    expect(problemsOf({ PARLEY_FILES, ...KEYS })).toEqual([expect.stringMatching(/^PARLEY_FILES must /)]);
  });

  test("with a bucket needs both keys, which no message repeats", () => {
    expect(problemsOf({ PARLEY_FILES: "s3://bucket" })).toEqual([
      expect.stringMatching(/^PARLEY_S3_ACCESS_KEY must be set/),
      expect.stringMatching(/^PARLEY_S3_SECRET_KEY must be set/),
    ]);
    const problems = problemsOf({ ...KEYS, PARLEY_FILES: "s3://bucket", PARLEY_S3_SECRET_KEY: "two hunter2" });
    expect(problems).toEqual([expect.stringMatching(/^PARLEY_S3_SECRET_KEY must be one word/)]);
  });

  test("refuses an access key that URLs could not be signed with", () => {
    const problems = problemsOf({ ...KEYS, PARLEY_FILES: "s3://bucket", PARLEY_S3_ACCESS_KEY: "account:user" });
    expect(problems).toEqual([expect.stringMatching(/^PARLEY_S3_ACCESS_KEY must consist of/)]);
  });

  test("with a folder has nobody to redirect to", () => {
    expect(problemsOf({ PARLEY_S3_REDIRECT: "true" })).toEqual([expect.stringMatching(/^PARLEY_S3_REDIRECT needs/)]);
  });
});

test.each(["s3.example.org", "https://s3.example.org/bucket", "https://a:b@s3.example.org", "ftp://s3.example.org"])(
  "%s is no endpoint of an S3 server",
  (PARLEY_S3_ENDPOINT) => {
    expect(problemsOf({ PARLEY_S3_ENDPOINT })).toEqual([expect.stringMatching(/^PARLEY_S3_ENDPOINT must /)]);
  },
);

describe("PARLEY_CLAMAV", () => {
  test.each([
    ["127.0.0.1:3310", { host: "127.0.0.1", port: 3310 }],
    ["clamav:3310", { host: "clamav", port: 3310 }],
    ["[::1]:3310", { host: "::1", port: 3310 }],
  ])("%s is an address", (PARLEY_CLAMAV, expected) => {
    expect(loadConfig({ PARLEY_CLAMAV }).clamav).toEqual(expected);
  });

  test.each(["clamav", "clamav:0", "clamav:70000", "::1:3310", "tcp://clamav:3310", "/run/clamd.sock"])(
    "%s is refused",
    (PARLEY_CLAMAV) => {
      expect(problemsOf({ PARLEY_CLAMAV })).toEqual([expect.stringMatching(/^PARLEY_CLAMAV must be /)]);
    },
  );
});
