import { describe, expect, test } from "bun:test";
import { createLog, type Log, subsystem, throttleOutages } from "./log.ts";

function capture(readable: boolean): { log: Log; lines: string[] } {
  const lines: string[] = [];
  return { log: createLog({ level: "debug", readable, write: (line) => lines.push(line) }), lines };
}

const KEY = `ply_${"a1B2".repeat(3)}_${"Zz9".repeat(16)}`;

describe("the log masks secrets", () => {
  test.each([
    ["a field by its name", { authorization: "Bearer hunter2", password: "hunter2", current_password: "hunter2" }],
    ["a nested field", { request: { headers: { cookie: "hunter2", "Set-Cookie": ["hunter2"] } } }],
    [
      "a field with a name in camel case",
      { apiKey: "hunter2", sessionToken: "hunter2", clientSecret: { deep: "hunter2" } },
    ],
    ["the headers of a request", { headers: new Headers({ authorization: "hunter2" }) }],
    ["credentials among the settings", { config: { xBearerToken: "hunter2", twitterapiIoApiKey: "hunter2" } }],
    ["a list of records", { users: [{ password_hash: "hunter2" }] }],
    ["a password in a URL", { url: "postgres://parley:hunter2@db/parley" }],
    ["a session cookie in a text", { text: "GET / cookie __Host-parley_session=hunter2; a=b" }],
    ["a claim's cookie in a text", { text: "cookie a=b; parley_claim=hunter2" }],
    ["a bearer token in a text", { text: "sent Bearer hunter2" }],
  ])("in %s", (_, fields) => {
    const { log, lines } = capture(false);
    log.info(fields, "text");
    expect(lines).toHaveLength(1);
    expect(lines[0]).not.toContain("hunter2");
    expect(lines[0]).toContain("[masked]");
    expect(() => JSON.parse(lines[0] ?? "")).not.toThrow();
  });

  test("in an API key in a field, a text, an error or a child's bindings", () => {
    const { log, lines } = capture(false);
    log.child({ caller: KEY }).warn({ err: new Error(`bad key ${KEY}`), note: KEY }, `refused ${KEY}`);
    expect(lines[0]).not.toContain(KEY.slice(17));
    expect(lines[0]?.match(/ply_\[masked\]/g)?.length).toBeGreaterThanOrEqual(4);
  });

  test("but keeps flags and ids", () => {
    const { log, lines } = capture(false);
    log.info({ has_password: true, key_id: "a1B2c3", userId: 7 });
    expect(JSON.parse(lines[0] ?? "")).toMatchObject({ has_password: true, key_id: "a1B2c3", userId: 7 });
  });
});

test("production logs lines of JSON with time, level and component", () => {
  const { log, lines } = capture(false);
  subsystem(log, "hub").error({ err: new Error("broken") }, "publish failed");
  expect(JSON.parse(lines[0] ?? "")).toMatchObject({
    level: "error",
    subsystem: "hub",
    msg: "publish failed",
    time: expect.stringMatching(/^\d{4}-.*Z$/),
    err: { message: "broken", stack: expect.any(String) },
  });
});

test("development logs short lines with stacks", () => {
  const { log, lines } = capture(true);
  subsystem(log, "http").info({ port: 3000 }, "listening");
  log.warn({ err: new Error("broken") }, "odd");
  expect(lines[0]).toMatch(/^\d\d:\d\d:\d\d\.\d{3} http: listening port=3000\n$/);
  expect(lines[1]).toMatch(/ WARN odd\nError: broken\n/);
});

test.each([true, false])("an aggregate error logs each of its errors (readable: %p)", async (readable) => {
  const { log, lines } = capture(readable);
  const parts = [new Error("first"), new TypeError("second")].map((error) => Promise.reject(error));
  const several: unknown = await Promise.any(parts).catch((error: unknown) => error);
  log.error({ err: several }, "odd");
  // pino cannot serialize the bundler's error.
  const entrypoints = [`${import.meta.dir}/no-such-file.ts`];
  const bundling: unknown = await Bun.build({ entrypoints }).catch((error: unknown) => error);
  log.error({ err: bundling }, "not bundled");
  expect(lines[0]).toContain("AggregateError");
  expect(lines[0]).toContain("Error: first");
  expect(lines[0]).toContain("TypeError: second");
  expect(lines[1]).toContain("Bundle failed");
  expect(lines[1]).toContain("no-such-file.ts");
});

test("an error of native code, which has no stack, is shown with its message", () => {
  const { log, lines } = capture(true);
  const err = new Error("OOM command not allowed");
  Object.defineProperty(err, "stack", { value: undefined });
  log.warn({ err }, "refused");
  expect(lines[0]).toContain("OOM command not allowed");
});

test("a circular field does not break logging", () => {
  const { log, lines } = capture(false);
  const loop: Record<string, unknown> = {};
  loop.self = loop;
  log.info({ loop }, "round");
  expect(lines[0]).toContain("round");
});

test("repeated errors of an outage are logged at debug level without a stack, everything else unchanged", () => {
  const lines: Record<string, unknown>[] = [];
  const whole = createLog({ level: "debug", readable: false, write: (line) => lines.push(JSON.parse(line)) });
  const log = throttleOutages(whole, (error) => !(error instanceof RangeError));
  log.warn({ err: new RangeError("again"), requestId: "r1" }, "refused");
  log.error({ err: new TypeError("new") }, "failed");
  log.warn({ wallet: "w" }, "low");
  log.error("bare");
  log.info({ err: new RangeError("told") }, "as it is");
  expect(lines.map(({ level, msg, reason }) => [level, msg, reason])).toEqual([
    ["debug", "refused", "RangeError: again"],
    ["error", "failed", undefined],
    ["warn", "low", undefined],
    ["error", "bare", undefined],
    ["info", "as it is", undefined],
  ]);
  expect([lines[0]?.err, lines[0]?.requestId]).toEqual([undefined, "r1"]);
});
