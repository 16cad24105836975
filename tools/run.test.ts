import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { visitSite } from "../packages/server/test/support/browser/site.ts";
import { temporaryFolder } from "../packages/server/test/support/config.ts";
import { jpegOfScans } from "../packages/server/test/support/fuzz/jpeg-bombs.ts";
import { currentClient } from "../packages/server/test/support/servers/mcp-clients.ts";
import { eventually, signUp } from "../packages/server/test/support/servers/test-server.ts";
import { isUp, npmStart } from "./npm-start.ts";

const root = join(import.meta.dir, "..");

test("npm start runs a server that exits with 0 after SIGTERM to npm", async () => {
  const { npm, url } = await npmStart();
  expect(await isUp(url)).toBe(true);
  npm.kill("SIGTERM");
  expect(await npm.exited).toBe(0);
  expect(await isUp(url)).toBe(false);
});

test("the server of npm start serves all pages with their assets, and decodes images", async () => {
  const { npm, url } = await npmStart();
  const { get, asked } = await visitSite(url);
  expect(asked).toContain("/docs/assets/style.css");
  const files = await Promise.all(
    [...asked, "/favicon.ico", "/docs/events", "/api/openapi.json", "/metrics", "/skill.md", "/guide/agents.md"].map(
      get,
    ),
  );
  expect(files.every(({ length }) => length > 100)).toBe(true);
  const ann = await signUp(url, "ann");
  expect((await ann.put("/api/user/ann", { avatar: jpegOfScans(10).toString("base64") })).status).toBe(200);
  npm.kill("SIGTERM");
  expect(await npm.exited).toBe(0);
});

test("the server of npm start speaks MCP, whose library it loads at the first call", async () => {
  const data = temporaryFolder();
  const { npm, url } = await npmStart({ data });
  const issue = ["run", "--silent", "parley", "--", "key", "issue", "--agent", "Scout", "--json"];
  const env = { ...process.env, PARLEY_DATA_DIR: data };
  const key = Bun.spawn(["npm", ...issue], { cwd: root, env, stdout: "pipe", stderr: "ignore" });
  const { api_key } = JSON.parse(await new Response(key.stdout).text());
  const mcp = await currentClient(url, api_key, "auto");
  expect((await mcp.call("whoami")).body.agent_names).toEqual(["Scout"]);
  await mcp[Symbol.asyncDispose]();
  npm.kill("SIGTERM");
  expect(await npm.exited).toBe(0);
});

test("the server of npm start stops when npm is killed", async () => {
  const { npm, url } = await npmStart();
  npm.kill("SIGKILL");
  await npm.exited;
  await eventually("the server is gone", async () => !(await isUp(url)));
});

test("an unknown command fails and lists the known ones", async () => {
  const run = Bun.spawn(["node", "tools/run.mjs", "dance"], { cwd: root, stderr: "pipe" });
  expect(await run.exited).toBe(2);
  expect(await new Response(run.stderr).text()).toContain("serve|parley|test");
});

test("npm run parley passes on the exit code and the output of the command", async () => {
  const run = Bun.spawn(["npm", "run", "--silent", "parley", "--", "key", "revoke"], {
    cwd: root,
    stdout: "pipe",
    stderr: "pipe",
  });
  expect(await run.exited).toBe(2);
  expect(await new Response(run.stdout).text()).toBe("");
});

test("npm run parley resolves file arguments from the folder of the user", async () => {
  const here = temporaryFolder();
  const env = { PATH: process.env.PATH ?? "", HOME: process.env.HOME ?? "", PARLEY_DATA_DIR: temporaryFolder() };
  const parley = async (...args: string[]) => {
    const run = Bun.spawn(["npm", "--prefix", root, "run", "--silent", "parley", "--", ...args], {
      cwd: here,
      env,
      stdout: "pipe",
      stderr: "pipe",
    });
    const [out, err] = await Promise.all([new Response(run.stdout).text(), new Response(run.stderr).text()]);
    return { code: await run.exited, out, err };
  };
  expect(await parley("migrate")).toMatchObject({ code: 0 });
  expect(await parley("backup", "copy.sqlite")).toMatchObject({ code: 0, err: "" });
  expect(existsSync(join(here, "copy.sqlite"))).toBe(true);
  expect(await parley("restore", "copy.sqlite")).toMatchObject({ code: 0, err: "" });
  expect((await parley("packet", "verify", "copy.sqlite")).err).toContain("is not JSON");
  expect((await parley("paid", "add", "x", "--amount", "1", "--file", "copy.sqlite")).err).toContain("No evm chain");
});

test("npm test in a workspace runs only the tests of that workspace, with the given arguments", async () => {
  const run = Bun.spawn(["npm", "test", "-w", "@parley/protocol", "--", "errors"], { cwd: root, stderr: "pipe" });
  const output = await new Response(run.stderr).text();
  expect(await run.exited).toBe(0);
  expect(output.match(/^\S+\.test\.ts:$/gm)).toEqual(["packages/protocol/src/errors.test.ts:"]);
});
