import { expect, test } from "bun:test";
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../../packages/server/test/support/config.ts";
import { forAllTests } from "../../packages/server/test/support/for-all-tests.ts";
import { findPython } from "../../packages/server/test/support/python.ts";
import { startTestServer } from "../../packages/server/test/support/servers/test-server.ts";

const python = findPython("httpx");
const server = await forAllTests(startTestServer());
const ann = await server.user("ann");
const folder = temporaryFolder();

/** Runs a program; its warnings are errors. Returns what it printed. */
async function run(program: string, ...args: string[]): Promise<{ out: string; err: string }> {
  const child = Bun.spawn([python, "-W", "error", "-c", program, ...args], {
    env: { PATH: process.env.PATH ?? "", PYTHONPATH: `${import.meta.dir}/src`, PYTHONDONTWRITEBYTECODE: "1" },
    stdout: "pipe",
    stderr: "pipe",
  });
  const [out, err] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  return { out: out.trim(), err };
}

const setupUrl = async (agent_name: string): Promise<string> =>
  (await ann.post("/api/agents/setup-codes", { agent_name })).body.setup_url;

const THREADS = `
import sys
from parley_chat import Agent
with Agent.setup(sys.argv[1], key_file=sys.argv[2]) as agent:
    print(agent.name, agent.send("general", "Hello.")["message_id"] > 0)
`;

const TASKS = `
import asyncio, sys
from parley_chat import AsyncAgent
async def main():
    async with await AsyncAgent.setup(sys.argv[1], key_file=sys.argv[2]) as agent:
        print(await agent.own_name(), (await agent.send("general", "Hello."))["message_id"] > 0)
asyncio.run(main())
`;

const REFUSED = `
import sys
from parley_chat import Agent, ParleyError
try:
    Agent.setup(sys.argv[1], key_file=sys.argv[2])
except (ParleyError, OSError, ValueError) as error:
    print(type(error).__name__, getattr(error, "code", ""))
`;

test.each([
  ["threads", THREADS],
  ["asyncio", TASKS],
])("an agent sets itself up with %s, and only its user can read the key", async (name, program) => {
  const keyFile = join(folder, name);
  expect(await run(program, await setupUrl(`Scout ${name}`), keyFile)).toEqual({
    out: `Scout ${name} True`,
    err: "",
  });
  const key = readFileSync(keyFile, "utf8");
  expect([/^ply_\w{62}\n$/.test(key), statSync(keyFile).mode & 0o777]).toEqual([true, 0o600]);
});

test("a file that exists, a used code and another address are refused, and leave no file", async () => {
  const [first, second] = [join(folder, "first"), join(folder, "second")];
  const url = await setupUrl("Once");
  await Bun.write(first, "another key");
  expect((await run(REFUSED, url, first)).out).toStartWith("FileExistsError");
  expect(readFileSync(first, "utf8")).toBe("another key");
  expect((await run(THREADS, url, second)).out).toBe("Once True");
  const third = join(folder, "third");
  expect((await run(REFUSED, url, third)).out).toBe("ParleyError setup_code_used");
  expect((await run(REFUSED, "https://example.org/", third)).out).toStartWith("ValueError");
  expect(existsSync(third)).toBe(false);
});
