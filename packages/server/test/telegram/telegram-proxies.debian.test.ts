import { expect, test } from "bun:test";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../support/config.ts";
import { freePort } from "../support/servers/child-server.ts";
import { eventually, startTestServer } from "../support/servers/test-server.ts";
import { testBot } from "../support/telegram.ts";

/** The settings of proxies in the guide keep keys out of every log, also when the server does not answer. */
const GUIDE = readFileSync(join(import.meta.dir, "../../../../docs/guide/telegram.md"), "utf8");
const blockOf = (language: string) => new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, "s").exec(GUIDE)?.[1] ?? "";

test.each(["caddy", "nginx"] as const)("%s writes no key to its logs", async (kind) => {
  await using server = await startTestServer();
  const bot = await testBot(server, "Hidden");
  const folder = temporaryFolder();
  const port = freePort();
  const upstream = new URL(server.url).host;
  const [text, command] = { caddy, nginx }[kind](folder, port);
  const path = join(folder, `${kind}.conf`);
  writeFileSync(path, text.replaceAll("127.0.0.1:3000", upstream));
  const output = Bun.file(join(folder, "output.log"));
  const child = Bun.spawn([...command, path], {
    env: { ...process.env, HOME: folder },
    stdout: output,
    stderr: output,
  });
  const root = `http://127.0.0.1:${port}/telegram`;
  const encoded = bot.token.replace(":", "%3A");
  try {
    await eventually("the proxy answers", async () => (await fetch(`${root}/x`).catch(() => null)) !== null);
    expect((await fetch(`${root}/bot${bot.token}/getMe`)).status).toBe(200);
    expect((await fetch(`${root}//bot${encoded}/getMe?x=1`)).status).toBe(200);
    expect((await fetch(`${root}/file/bot${encoded}/f1/a.txt`)).status).toBe(400);
    await server[Symbol.asyncDispose]();
    expect((await fetch(`${root}/bot${bot.token}/getMe`)).status).toBeGreaterThanOrEqual(500);
  } finally {
    child.kill();
    await child.exited;
  }
  const logs = readdirSync(folder).filter((name) => name.endsWith(".log"));
  const written = logs.map((name) => readFileSync(join(folder, name), "utf8")).join("\n");
  expect(written).toContain("***");
  expect(written).not.toContain(bot.apiKey.slice(-40));
});

const caddy = (_: string, port: number): [string, string[]] => [
  blockOf("caddyfile")
    .replace("{\n", "{\n\tadmin off\n\tauto_https off\n")
    .replace("chat.example.org", `http://127.0.0.1:${port}`),
  ["caddy", "run", "--adapter", "caddyfile", "--config"],
];

const nginx = (folder: string, port: number): [string, string[]] => [
  `daemon off; pid ${folder}/pid; error_log ${folder}/error.log; events {}
  http {
    ${blockOf("nginx").replace("443 ssl", `127.0.0.1:${port}`).replace("/var/log/nginx", folder)}
  }`,
  ["nginx", "-c"],
];
