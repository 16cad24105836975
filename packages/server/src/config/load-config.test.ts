import { describe, expect, test } from "bun:test";
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { problemsOf, temporaryFolder } from "../../test/support/config.ts";
import { type Environment, loadConfig } from "./load-config.ts";

describe("loadConfig", () => {
  test("turns an empty environment into a development server on this machine only", () => {
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

  test("listens on every address in production and uses the standard rate limits", () => {
    const config = loadConfig({
      PARLEY_PROFILE: "production",
      PARLEY_PUBLIC_URL: "https://chat.example.org/",
      PARLEY_TRUSTED_PROXIES: "none",
      PARLEY_DATA_DIR: temporaryFolder(),
    });
    expect(config).toMatchObject({
      host: "0.0.0.0",
      rateFactor: 1,
      publicUrl: "https://chat.example.org",
      secureCookies: true,
      claimStrict: true,
    });
  });

  test('accepts "none" as proxy only if it is the only value', () => {
    const read = (PARLEY_TRUSTED_PROXIES: string) => loadConfig({ PARLEY_TRUSTED_PROXIES });
    expect(read("none")).toMatchObject({ trustedProxies: [], proxiesDeclared: true });
    expect(read("")).toMatchObject({ trustedProxies: [], proxiesDeclared: false });
    expect(read("10.0.0.7, ::1")).toMatchObject({ trustedProxies: ["10.0.0.7", "::1"], proxiesDeclared: true });
    expect(problemsOf({ PARLEY_TRUSTED_PROXIES: "none,10.0.0.7" })).toEqual([
      expect.stringMatching(/^PARLEY_TRUSTED_PROXIES has "none"/),
    ]);
  });

  test("reports all problems at once", () => {
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
  ])("refuses the unknown %s and suggests %s", (name, suggestion) => {
    expect(problemsOf({ [name]: "x" })).toEqual([`${name} is not a known setting; did you mean ${suggestion}?`]);
  });

  test("ignores the variables that the guides export for agents", () => {
    expect(problemsOf({ PARLEY_KEY: "ply_x", PARLEY_URL: "http://127.0.0.1:3000" })).toEqual([]);
  });

  test("suggests nothing for a name that resembles no setting", () => {
    expect(problemsOf({ PARLEY_FOO: "x" })[0]).toEndWith("docs/reference/configuration.md lists all settings");
  });

  test("accepts Redis with PostgreSQL only, and repeats no password", () => {
    const DATABASE_URL = "postgres://parley@127.0.0.1/parley";
    expect(problemsOf({ REDIS_URL: "" })).toEqual([]);
    expect(
      problemsOf({ DATABASE_URL, REDIS_URL: "redis://127.0.0.1, rediss://:secret@cache.example.org:6380/1" }),
    ).toEqual([]);
    expect(problemsOf({ REDIS_URL: "redis://127.0.0.1" })).toEqual([
      "REDIS_URL needs PostgreSQL: only one server can use a SQLite file. Set DATABASE_URL, or remove REDIS_URL",
    ]);
    expect(problemsOf({ DATABASE_URL, REDIS_URL: "redis://127.0.0.1,redis://127.0.0.1:6379/2" })).toEqual([
      "REDIS_URL names 127.0.0.1:6379 twice",
    ]);
    for (const wrong of ["http://:secret@127.0.0.1", "redis://:secret@127.0.0.1/name", "secret"]) {
      expect(problemsOf({ DATABASE_URL, REDIS_URL: wrong }).join()).toMatch(/^REDIS_URL must (?!.*secret)/);
    }
  });

  test("requires https or loopback of a facilitator, keeps its path, and reports missing settings", () => {
    const chain = {
      PARLEY_EVM_RPC_URL: "https://rpc.example.org",
      PARLEY_EVM_CHAIN_ID: "8453",
      PARLEY_EVM_TOKENS: `USDC=0x${"1".repeat(40)}:6`,
    };
    const facilitator = (url: string, more = {}) => ({ ...chain, PARLEY_X402_FACILITATOR_URL: url, ...more });
    for (const [url, read] of [
      ["https://x402.example.org", "https://x402.example.org"],
      ["https://x402.example.org/facilitator/", "https://x402.example.org/facilitator"],
      ["http://127.0.0.1:4021/v2/x402", "http://127.0.0.1:4021/v2/x402"],
    ] as const) {
      expect(loadConfig(facilitator(url)).facilitatorUrl).toBe(read);
    }
    for (const url of [
      "http://x402.example.org/",
      "https://a:b@x402.example.org",
      "https://x.example.org/?key=1",
      "off",
    ]) {
      expect(problemsOf(facilitator(url))[0]).toStartWith("PARLEY_X402_FACILITATOR_URL must");
    }
    const bearer = { PARLEY_X402_FACILITATOR_AUTHORIZATION: "Bearer abc" };
    expect(loadConfig(facilitator("https://x.example.org", bearer)).facilitatorAuthorization).toBe("Bearer abc");
    expect(problemsOf(bearer)[0]).toContain("PARLEY_X402_FACILITATOR_URL");
    const broken = { PARLEY_X402_FACILITATOR_AUTHORIZATION: "Bearer s3cret\nX: y" };
    const [told = ""] = problemsOf(facilitator("https://x.example.org", broken));
    expect(told).toContain("must be the value of an Authorization header");
    expect(told).not.toContain("s3cret");
    expect(problemsOf({ PARLEY_X402_FACILITATOR_URL: "https://x.example.org" })[0]).toContain("PARLEY_EVM_TOKENS");
  });

  test("requires recipients of payments to be addresses", () => {
    const [evm, sol] = ["0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed", "4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU"];
    expect(loadConfig({ PARLEY_PAYMENT_RECIPIENT: `${evm}, ${sol}` }).paymentRecipients).toEqual([evm, sol]);
    expect(problemsOf({ PARLEY_PAYMENT_RECIPIENT: "bank" })[0]).toContain('has "bank"');
  });

  test("reads a secret from a file, but not from a file and a variable", () => {
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
  ])("reads %s as the file %s", (DATABASE_URL, path) => {
    expect(loadConfig({ DATABASE_URL }).database).toEqual({ kind: "sqlite", path });
  });
});

describe("the settings for looking up posts", () => {
  test("select Bluesky by default and nothing else", () => {
    expect(loadConfig({})).toMatchObject({
      xBearerToken: null,
      twitterapiIoApiKey: null,
      blueskyApiUrl: "https://public.api.bsky.app",
      mastodonInstances: new Map(),
    });
    expect(loadConfig({ PARLEY_BLUESKY_API_URL: "off" }).blueskyApiUrl).toBeNull();
  });

  test("read instances as hosts, each with the address of its API", () => {
    const PARLEY_MASTODON_INSTANCES = "Mastodon.Social, local.test=http://127.0.0.1:4010";
    expect([...loadConfig({ PARLEY_MASTODON_INSTANCES }).mastodonInstances]).toEqual([
      ["mastodon.social", "https://mastodon.social"],
      ["local.test", "http://127.0.0.1:4010"],
    ]);
  });

  test.each([
    ["PARLEY_MASTODON_INSTANCES", "https://mastodon.social"],
    ["PARLEY_MASTODON_INSTANCES", "mastodon.social:8080"],
    ["PARLEY_MASTODON_INSTANCES", "a.example=http://10.0.0.1"],
    ["PARLEY_MASTODON_INSTANCES", "localhost"],
    ["PARLEY_X_API_URL", "http://api.x.com"],
    ["PARLEY_X_API_URL", "https://api.x.com/2"],
    ["PARLEY_X_API_URL", "https://user:pass@api.x.com"],
    ["PARLEY_BLUESKY_API_URL", "no"],
    ["PARLEY_X_BEARER_TOKEN", "two words"],
    ["PARLEY_TWITTERAPI_IO_KEY", "a\r\nhost: evil.example"],
  ])("refuse %s=%j", (name, text) => {
    const [problem = "", ...others] = problemsOf({ [name]: text });
    expect(problem).toStartWith(name);
    expect(others).toEqual([]);
    expect(name.endsWith("TOKEN") || name.endsWith("KEY") ? problem : "").not.toContain(text);
  });

  test("read credentials from files", () => {
    const file = join(temporaryFolder(), "token");
    writeFileSync(file, "AAAA%3Dtoken\n");
    expect(loadConfig({ PARLEY_X_BEARER_TOKEN_FILE: file }).xBearerToken).toBe("AAAA%3Dtoken");
    expect(loadConfig({ PARLEY_TWITTERAPI_IO_KEY_FILE: file }).twitterapiIoApiKey).toBe("AAAA%3Dtoken");
  });
});

describe("the production profile", () => {
  const safe = {
    PARLEY_PROFILE: "production",
    PARLEY_PUBLIC_URL: "https://x.org",
    PARLEY_TRUSTED_PROXIES: "127.0.0.1",
  };

  test.each<[string, Environment, string]>([
    ["no public URL", { PARLEY_PUBLIC_URL: "" }, "PARLEY_PUBLIC_URL must be set"],
    ["http on another host than loopback", { PARLEY_PUBLIC_URL: "http://x.org" }, "PARLEY_PUBLIC_URL must be https"],
    ["every origin allowed", { PARLEY_ALLOWED_ORIGINS: "https://a.org,*" }, "PARLEY_ALLOWED_ORIGINS must name"],
    ["https but no named proxy", { PARLEY_TRUSTED_PROXIES: "" }, "PARLEY_TRUSTED_PROXIES must name the proxy"],
    ["rate limits turned off", { PARLEY_RATE_LIMITS: "off" }, "PARLEY_RATE_LIMITS must be on"],
  ])("refuses a configuration with %s", (_, env, problem) => {
    const problems = problemsOf({ ...safe, PARLEY_DATA_DIR: temporaryFolder(), ...env });
    expect(problems).toHaveLength(1);
    expect(problems[0]).toStartWith(problem);
  });

  test.each([[""], ["http://x.org"]])(
    "reports a missing proxy together with the public URL %p",
    (PARLEY_PUBLIC_URL) => {
      const env = { ...safe, PARLEY_DATA_DIR: temporaryFolder(), PARLEY_PUBLIC_URL, PARLEY_TRUSTED_PROXIES: "" };
      expect(problemsOf(env)).toEqual([
        expect.stringMatching(/^PARLEY_PUBLIC_URL must be/),
        expect.stringMatching(/^PARLEY_TRUSTED_PROXIES must name the proxy/),
      ]);
    },
  );

  test("refuses a data folder that others can read, until it is private", () => {
    const folder = temporaryFolder();
    const env = { ...safe, PARLEY_DATA_DIR: folder };
    chmodSync(folder, 0o755);
    expect(problemsOf(env)[0]).toContain(`chmod o-rwx ${folder}`);
    chmodSync(folder, 0o750);
    expect(problemsOf(env)).toEqual([]);
  });

  test("accepts https without a proxy if the operator says so", () => {
    const env = { ...safe, PARLEY_DATA_DIR: temporaryFolder() };
    expect(problemsOf({ ...env, PARLEY_TRUSTED_PROXIES: "none" })).toEqual([]);
  });

  test("accepts http on loopback, as development does", () => {
    const env = { PARLEY_DATA_DIR: temporaryFolder() };
    expect(
      problemsOf({ ...safe, ...env, PARLEY_PUBLIC_URL: "http://127.0.0.1:3000", PARLEY_TRUSTED_PROXIES: "" }),
    ).toEqual([]);
    expect(problemsOf({ ...env, PARLEY_PUBLIC_URL: "https://x.org" })).toEqual([]);
    expect(problemsOf({ ...safe, ...env, PARLEY_PUBLIC_URL: "http://127.0.0.1:3000" })).toEqual([]);
    expect(problemsOf({ ...env, PARLEY_PUBLIC_URL: "http://x.org", PARLEY_ALLOWED_ORIGINS: "*" })).toEqual([]);
  });
});
