import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../packages/server/test/support/config.ts";
import { startTestServer, type TestServer } from "../packages/server/test/support/servers/test-server.ts";

/** Installing takes some seconds, and several times as long on a busy machine. The timeout only ends a test that hangs. */

/** The tools are a package of their own, so that users do not install them. */
const TOOLS = join(import.meta.dir, "documents");
const folder = temporaryFolder();
const openapi = join(folder, "openapi.json");
const asyncapi = join(folder, "asyncapi.json");

let server: TestServer;
beforeAll(async () => {
  await install();
  server = await startTestServer();
  for (const path of [openapi, asyncapi]) {
    writeFileSync(path, await (await fetch(`${server.url}/api/${path.slice(folder.length + 1)}`)).text());
  }
}, 240_000);
afterAll(() => server[Symbol.asyncDispose]());

/** Installs the tools from their own lock file if they are missing or older than it. */
async function install(): Promise<void> {
  const [installed, lock] = [join(TOOLS, "node_modules/.package-lock.json"), join(TOOLS, "package-lock.json")];
  if (existsSync(installed) && statSync(installed).mtimeMs >= statSync(lock).mtimeMs) return;
  const options = ["--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
  const npm = Bun.spawn(["npm", "ci", ...options], { cwd: TOOLS, stdout: "ignore", stderr: "pipe" });
  const errors = await npm.stderr.text();
  if ((await npm.exited) !== 0) throw new Error(`npm ci in tools/documents failed:\n${errors}`);
}

/** Runs a program of the tools' package in Bun, and returns its exit code and output. */
async function run(...args: string[]) {
  const child = Bun.spawn([process.execPath, "--bun", ...args], {
    cwd: TOOLS,
    env: { PATH: process.env.PATH ?? "", REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  const [out, errors] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  return { code: await child.exited, out, errors };
}

describe("the API documents", () => {
  test("have no error and no warning under the recommended rules of @redocly/cli", async () => {
    const { code, out } = await run("node_modules/@redocly/cli/bin/cli.js", "lint", openapi, "--format=json");
    const { problems } = JSON.parse(out) as {
      problems: { ruleId: string; message: string; location: { pointer?: string }[] }[];
    };
    // A browser follows the redirects of a login and of old links; they have no other answer.
    const redirects = /^#\/paths\/~1(?:api~1auth~1oidc~1(?:start|callback)|old|archives~1[^/]+)\//;
    const others = problems.filter(
      ({ ruleId, location }) => ruleId !== "operation-2xx-response" || !redirects.test(location[0]?.pointer ?? ""),
    );
    expect(others.map(({ ruleId, message }) => `${ruleId}: ${message}`)).toEqual([]);
    expect(code).toBe(0);
  });

  test("have no error and no warning in swagger-parser and @asyncapi/parser", async () => {
    const { out, errors } = await run("lint.mjs", openapi, asyncapi);
    expect(errors).toBe("");
    expect(JSON.parse(out)).toEqual({ problems: [] });
  });

  test("give openapi-typescript types with which a program of openapi-fetch compiles and works", async () => {
    const dist = join(TOOLS, "dist");
    mkdirSync(dist, { recursive: true });
    const made = await run("node_modules/.bin/openapi-typescript", openapi, "-o", join(dist, "openapi.d.ts"));
    expect([made.errors, made.code]).toEqual(["", 0]);
    const compiled = await run("node_modules/.bin/tsc", "-p", "tsconfig.json");
    expect([compiled.out, compiled.code]).toEqual(["", 0]);
    const { apiKey } = await server.agent();
    const { out, errors } = await run("client.ts", server.url, apiKey);
    expect(errors).toBe("");
    expect(JSON.parse(out)).toMatchObject({
      messageId: 1,
      contents: [[1, "Hello."]],
      code: "message_required",
      lastSeq: 0,
    });
  });

  test("give orval a client that compiles", async () => {
    const made = join(TOOLS, "dist", "orval.ts");
    const options = ["--input", openapi, "--output", made, "--client", "fetch", "--mode", "single"];
    const { code, errors } = await run("node_modules/.bin/orval", ...options);
    expect([errors, code]).toEqual(["", 0]);
    const strictly = [
      "--strict",
      "--noEmit",
      "--target",
      "esnext",
      "--module",
      "preserve",
      "--lib",
      "esnext,dom,dom.iterable",
    ];
    // The types of other packages would count otherwise.
    const alone = ["--typeRoots", "dist", "--skipLibCheck", "false"];
    const compiled = await run("node_modules/.bin/tsc", ...strictly, ...alone, made);
    expect([compiled.out, compiled.code]).toEqual(["", 0]);
  });
});
