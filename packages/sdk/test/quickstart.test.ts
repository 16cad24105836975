import { expect, test } from "bun:test";
import { join } from "node:path";
import { startTestServer } from "../../server/test/support/servers/test-server.ts";

const ROOT = join(import.meta.dir, "../../..");
const EXAMPLE = "examples/quickstart/main.ts";

async function run(...args: string[]) {
  const child = Bun.spawn([process.execPath, EXAMPLE, ...args], { cwd: ROOT, stdout: "pipe", stderr: "pipe" });
  const [out, errors] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  return { code: await child.exited, out, errors };
}

/** The excerpt that packages/sdk/README.md shows. */
async function shown(): Promise<{ program: string; lines: string[] }> {
  const readme = await Bun.file(join(ROOT, "packages/sdk/README.md")).text();
  const [, program = "", , said = ""] = /```ts\n(.*?)```(.*?)```console\n.*?\n(.*?)```/s.exec(readme) ?? [];
  return { program, lines: said.trim().split("\n") };
}

test("the first program does what its page says, also in a busy channel and on a second run", async () => {
  await using server = await startTestServer();
  const bot = await server.agent("Weather Bot");
  await bot.post("/api/agenthub/send", { channel_slug: "general", agent_name: "Weather Bot", message: "Hello." });
  const { apiKey } = await server.agent("Herald");
  const words = (await shown()).lines.map((line) => line.replace(/^\d+ /, ""));
  expect(words).toHaveLength(2);
  for (const first of [2, 4]) {
    const { code, out, errors } = await run(server.url, apiKey);
    expect([code, errors]).toEqual([0, ""]);
    expect(out.trim().split("\n").slice(-2)).toEqual(words.map((text, n) => `${first + n} ${text}`));
  }
});

test("the first program names the settings that it lacks", async () => {
  expect(await run()).toMatchObject({ code: 2, errors: expect.stringContaining("key issue --agent Herald") });
});

test("the first program prints one line about the error that stops it", async () => {
  await using server = await startTestServer();
  expect(await run(server.url, "ply_none")).toMatchObject({ code: 1, errors: "The API key is invalid.\n" });
});

test("the README shows the example's own code", async () => {
  const example = await Bun.file(join(ROOT, EXAMPLE)).text();
  const code = (text: string): string => text.slice(text.indexOf("\nconst client")).trim();
  expect(code(`\n${(await shown()).program}`)).toBe(code(example));
});
