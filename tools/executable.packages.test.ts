import { afterAll, beforeAll, expect, test } from "bun:test";
import { readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { visitSite } from "../packages/server/test/support/browser/site.ts";
import { temporaryFolder } from "../packages/server/test/support/config.ts";
import { jpegOfScans } from "../packages/server/test/support/fuzz/jpeg-bombs.ts";
import { currentClient } from "../packages/server/test/support/servers/mcp-clients.ts";
import { signUp } from "../packages/server/test/support/servers/test-server.ts";
import { buildExecutable } from "./built-executable.ts";

/** The executable alone in a folder, as if copied to another machine. */
const folder = temporaryFolder();
const file = join(folder, "parley");

beforeAll(() => buildExecutable(file));

// Deletes the 120 MB before the process ends.
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function run(args: string[], cwd = folder, env: Record<string, string> = {}) {
  return Bun.spawn([file, ...args], {
    cwd,
    env: { PORT: "0", PARLEY_DATA_DIR: join(folder, "data"), PARLEY_BLUESKY_API_URL: "off", ...env },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
}

test("the executable alone serves the pages and documents, and runs the commands for the database", async () => {
  const server = run(["serve"]);
  let said = "";
  for await (const text of server.stdout.pipeThrough(new TextDecoderStream())) {
    said += text;
    if (said.includes("Ctrl-C")) break;
  }
  const url = /Web page +(http:\S+)\//.exec(said)?.[1];
  const { get, asked } = await visitSite(url ?? "");
  await Promise.all([...asked, "/docs/events", "/api/openapi.json", "/skill.md", "/guide/agents.md"].map(get));
  // It contains the programs that people run on their own machines.
  for (const name of ["parley-acp", "parley-claude-channel"]) {
    const program = await (await fetch(`${url}/clients/${name}.tgz`)).bytes();
    const tar = Bun.spawn(["tar", "-xzO", "package/main.js"], { stdin: program, stdout: "pipe" });
    expect((await tar.stdout.text()).slice(0, 19)).toBe("#!/usr/bin/env node");
  }
  // The executable decodes images in a child process of itself.
  const ann = await signUp(url ?? "", "ann");
  expect((await ann.put("/api/user/ann", { avatar: jpegOfScans(10).toString("base64") })).status).toBe(200);
  // The library of MCP is loaded at the first call.
  const issued = await new Response(run(["key", "issue", "--agent", "Scout", "--json"]).stdout).text();
  const mcp = await currentClient(url ?? "", JSON.parse(issued).api_key, "auto");
  expect((await mcp.call("whoami")).body.agent_names).toEqual(["Scout"]);
  await mcp[Symbol.asyncDispose]();
  expect(await run(["backup", "copy.sqlite"]).exited).toBe(0);
  expect(await run(["doctor"]).exited).toBe(0);
  server.kill("SIGTERM");
  expect(await server.exited).toBe(0);
  expect(readdirSync(folder).sort()).toEqual(["copy.sqlite", "data", "parley"]);
});

test("the executable ignores .env and bunfig.toml in the current folder", async () => {
  const elsewhere = temporaryFolder();
  writeFileSync(join(elsewhere, ".env"), "PARLEY_PROFILE=nonsense\n");
  writeFileSync(join(elsewhere, "bunfig.toml"), 'preload = ["./foreign.ts"]\n');
  writeFileSync(join(elsewhere, "foreign.ts"), 'console.log("foreign");\n');
  const called = run(["migrate"], elsewhere);
  expect(await new Response(called.stdout).text()).not.toContain("foreign");
  expect([await called.exited, await new Response(called.stderr).text()]).toEqual([0, ""]);
});

test("the executable starts again with a small heap, and takes no option of the engine for an argument", async () => {
  const called = run(["import", "slack", "absent.zip", "--dry-run"], folder, { BUN_OPTIONS: "--smol" });
  expect(await new Response(called.stderr).text()).toContain("absent.zip cannot be read: it does not exist.");
  expect(await called.exited).toBe(1);
});
