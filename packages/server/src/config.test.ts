import { describe, expect, test } from "bun:test";
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../test/support/config.ts";
import { ConfigError, type Environment, loadConfig } from "./config.ts";

function problemsOf(env: Environment): readonly string[] {
  try {
    loadConfig(env);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
}

describe("loadConfig", () => {
  test("an empty environment is development on this machine only", () => {
    const config = loadConfig({ PARLEY_DATA_DIR: "/srv/parley" });
    expect(config).toMatchObject({
      profile: "development",
      host: "127.0.0.1",
      port: 3000,
      dataDir: "/srv/parley",
      database: { kind: "sqlite", path: "/srv/parley/parley.sqlite" },
      publicUrl: null,
      secureCookies: false,
      rateFactor: 100,
      guestRead: true,
      agentIdleMinutes: 60,
      metricsPublic: false,
    });
  });

  test("production listens on every address and takes the rates as they stand", () => {
    const config = loadConfig({
      PARLEY_PROFILE: "production",
      PARLEY_PUBLIC_URL: "https://chat.example.org/",
      PARLEY_DATA_DIR: temporaryFolder(),
    });
    expect(config).toMatchObject({
      host: "0.0.0.0",
      rateFactor: 1,
      publicUrl: "https://chat.example.org",
      secureCookies: true,
    });
  });

  test("every problem is told at once", () => {
    const problems = problemsOf({
      PORT: "70000",
      HOST: "http://x",
      PARLEY_GUEST_READ: "maybe",
      PARLEY_PUBLIC_URL: "https://x.org/path",
      PARLEY_TRUSTED_PROXIES: "10.0.0.0/33",
      PARLEY_PASSWORD_MIN: "4",
      DATABASE_URL: "mysql://root:hunter2@db/x",
    });
    expect(problems.map((problem) => problem.split(" ")[0])).toEqual([
      "HOST",
      "PORT",
      "PARLEY_PUBLIC_URL",
      "DATABASE_URL",
      "PARLEY_TRUSTED_PROXIES",
      "PARLEY_GUEST_READ",
      "PARLEY_PASSWORD_MIN",
    ]);
    expect(problems.join()).not.toContain("hunter2");
  });

  test.each([
    ["PARLEY_GEST_READ", "PARLEY_GUEST_READ"],
    ["PARLEY_PORT", "PORT"],
    ["PARLEY_DATABASE_URL", "DATABASE_URL"],
    ["PARLEY_LOGLEVEL", "PARLEY_LOG_LEVEL"],
  ])("the unknown %s is refused and %s suggested", (name, suggestion) => {
    expect(problemsOf({ [name]: "x" })).toEqual([`${name} is not a known setting; did you mean ${suggestion}?`]);
  });

  test("a name like no other gets no guess", () => {
    expect(problemsOf({ PARLEY_FOO: "x" })[0]).toEndWith("docs/reference/configuration.md lists them all");
  });

  test("a bus that is not there yet is refused; other features' settings are named as without effect", () => {
    const refusal = "REDIS_URL is not supported by this version yet; remove it";
    expect(problemsOf({ REDIS_URL: "redis://127.0.0.1" })).toEqual([refusal]);
    expect(problemsOf({ REDIS_URL: "" })).toEqual([]);
    const env = { PARLEY_EVM_TREASURY_KEY_FILE: "/run/key", PARLEY_EVM_CHAIN_ID: "", PARLEY_X_BEARER_TOKEN: "x" };
    expect(loadConfig(env).withoutEffect).toEqual(["PARLEY_EVM_TREASURY_KEY_FILE", "PARLEY_X_BEARER_TOKEN"]);
  });

  test("a secret may come from a file, but not from two places", () => {
    const file = join(temporaryFolder(), "url");
    writeFileSync(file, "postgres://parley@db/parley\n");
    expect(loadConfig({ DATABASE_URL_FILE: file }).database).toEqual({
      kind: "postgres",
      url: "postgres://parley@db/parley",
    });
    expect(problemsOf({ DATABASE_URL_FILE: file, DATABASE_URL: "sqlite:x" })[0]).toContain("are both set");
    expect(problemsOf({ DATABASE_URL_FILE: `${file}.gone` })[0]).toContain("ENOENT");
  });

  test.each([
    ["sqlite:/srv/chat.sqlite", "/srv/chat.sqlite"],
    ["sqlite:///srv/chat.sqlite", "/srv/chat.sqlite"],
    ["sqlite::memory:", ":memory:"],
  ])("%s is the file %s", (DATABASE_URL, path) => {
    expect(loadConfig({ DATABASE_URL }).database).toEqual({ kind: "sqlite", path });
  });
});

describe("production refuses", () => {
  const safe = { PARLEY_PROFILE: "production", PARLEY_PUBLIC_URL: "https://x.org" };

  test.each<[string, Environment, string]>([
    ["no public address", { PARLEY_PUBLIC_URL: "" }, "PARLEY_PUBLIC_URL must be set"],
    ["http that is not this machine", { PARLEY_PUBLIC_URL: "http://x.org" }, "PARLEY_PUBLIC_URL must be https"],
    ["every origin", { PARLEY_ALLOWED_ORIGINS: "https://a.org,*" }, "PARLEY_ALLOWED_ORIGINS must name"],
    ["no limits", { PARLEY_RATE_LIMITS: "off" }, "PARLEY_RATE_LIMITS must be on"],
  ])("%s", (_, env, problem) => {
    const problems = problemsOf({ ...safe, PARLEY_DATA_DIR: temporaryFolder(), ...env });
    expect(problems).toHaveLength(1);
    expect(problems[0]).toStartWith(problem);
  });

  test("a data folder that others can read, until it is closed", () => {
    const folder = temporaryFolder();
    const env = { ...safe, PARLEY_DATA_DIR: folder };
    chmodSync(folder, 0o755);
    expect(problemsOf(env)[0]).toContain(`chmod o-rwx ${folder}`);
    chmodSync(folder, 0o750);
    expect(problemsOf(env)).toEqual([]);
  });

  test("but not http on loopback, nor in development", () => {
    const env = { PARLEY_DATA_DIR: temporaryFolder() };
    expect(problemsOf({ ...safe, ...env, PARLEY_PUBLIC_URL: "http://127.0.0.1:3000" })).toEqual([]);
    expect(problemsOf({ ...env, PARLEY_PUBLIC_URL: "http://x.org", PARLEY_ALLOWED_ORIGINS: "*" })).toEqual([]);
  });
});
