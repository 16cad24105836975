import { expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { EXAMPLE } from "../clients/acp/test/support/program.ts";
import { temporaryFolder } from "../packages/server/test/support/config.ts";
import { forAllTests } from "../packages/server/test/support/for-all-tests.ts";
import { eventually, startTestServer } from "../packages/server/test/support/servers/test-server.ts";
import { nodeRuntimes } from "./runtimes.ts";

/** npm installs the libraries of the programs, which takes some seconds. The timeout only ends a test that hangs. */
const server = await forAllTests(startTestServer({ rateLimits: "off", agentLoopLimit: 0, agentsPerUser: 100 }));
const ann = await server.user("ann");

async function run(cwd: string, path: string, ...command: string[]) {
  const env = { PATH: `${path}:${process.env.PATH}`, HOME: cwd, npm_config_update_notifier: "false", ...npmSettings() };
  const child = Bun.spawn(command, { cwd, env, stdin: "ignore", stdout: "pipe", stderr: "pipe" });
  const [out, errors] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  return { code: await child.exited, out, errors };
}

/** The registry of this machine; the home folder of a test has no settings. */
const npmSettings = (): Record<string, string> => {
  const file = join(process.env.HOME ?? "", ".npmrc");
  return existsSync(file) ? { npm_config_userconfig: file } : {};
};

/** Makes a setup code; its address is that of the test's server. */
async function setupUrl(name: string): Promise<string> {
  const { body } = await ann.post("/api/agents/setup-codes", { agent_name: name });
  return `${server.url}/setup#${body.code}`;
}

test("npx runs the served parley-acp in an empty folder, and it brings the example agent into a room", async () => {
  const folder = temporaryFolder();
  const line = [`${server.url}/clients/parley-acp.tgz?v=0`, "--code", await setupUrl("Npx")];
  const child = Bun.spawn(["npx", "--yes", ...line, "--", "node", EXAMPLE], {
    cwd: folder,
    env: { PATH: process.env.PATH ?? "", HOME: folder, ...npmSettings() },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "ignore",
    detached: true,
  });
  let out = "";
  const reading = (async () => {
    for await (const text of child.stdout.pipeThrough(new TextDecoderStream())) out += text;
  })();
  await eventually("it is ready", () => out.includes("READY Npx"), 120_000);
  const sent = await ann.post("/api/messages", { channel_slug: "general", content: "@Npx please" });
  const root = sent.body.message_id ?? sent.body.chat_message.id;
  const card = await eventually("it asks", async () => {
    const { body } = await ann.get(`/api/messages/${root}/thread`);
    return body.messages.find((each: { interaction?: unknown }) => each.interaction !== undefined);
  });
  await ann.post(`/api/interactions/${card.interaction.interaction_id}/press`, { action_id: "approve" });
  await eventually("a receipt is printed", () => /^RECEIPT /m.test(out));
  expect(readdirSync(folder)).not.toContain("node_modules");
  // As Ctrl-C does: npx passes no signal on to the program.
  process.kill(-child.pid, "SIGINT");
  await Promise.all([child.exited, reading]);
});

test("npm installs both programs from their addresses without scripts, and they run on every supported Node", async () => {
  const folder = temporaryFolder();
  const addresses = ["parley-acp", "parley-claude-channel"].map((name) => `${server.url}/clients/${name}.tgz`);
  expect(
    await run(folder, "", "npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", ...addresses),
  ).toMatchObject({
    code: 0,
  });
  for (const name of ["parley-acp", "parley-claude-channel"]) {
    const manifest = JSON.parse(readFileSync(join(folder, "node_modules", name, "package.json"), "utf8"));
    expect([manifest.scripts, Object.keys(manifest.dependencies).some((each) => each.startsWith("@parley/"))]).toEqual([
      undefined,
      false,
    ]);
    expect(existsSync(join(folder, "node_modules/@parley"))).toBe(false);
  }
  for (const { name, bin } of nodeRuntimes()) {
    const acp = await run(folder, bin, "node_modules/.bin/parley-acp");
    expect({ name, code: acp.code, said: acp.errors.split("\n")[0] }).toEqual({
      name,
      code: 2,
      said: "parley-acp: Name the agent's command after --.",
    });
    const claude = await run(folder, bin, "node_modules/.bin/parley-claude-channel");
    expect({ name, code: claude.code, said: claude.errors }).toEqual({
      name,
      code: 2,
      said: "parley: Set PARLEY_URL to the address of the server.\n",
    });
  }
});

test("npx keeps what it has fetched, so a newer program needs another address", async () => {
  const folder = temporaryFolder();
  let version = "old";
  const { tarball } = await import("../packages/server/src/client-programs/tarball.ts");
  using other = Bun.serve({
    port: 0,
    fetch: () => {
      const manifest = { name: "upgraded", version: "0.3.0", bin: { upgraded: "main.js" } };
      const files = {
        "package.json": JSON.stringify(manifest),
        "main.js": `#!/usr/bin/env node\nconsole.log("${version}");\n`,
      };
      const headers = { etag: `"${version}"`, "cache-control": "no-cache", "content-type": "application/gzip" };
      return new Response(tarball(files), { headers });
    },
  });
  const once = (v: string) => run(folder, "", "npx", "--yes", `http://127.0.0.1:${other.port}/upgraded.tgz?v=${v}`);
  expect((await once("1")).out).toBe("old\n");
  version = "new";
  expect((await once("1")).out).toBe("old\n");
  expect((await once("2")).out).toBe("new\n");
});
