import { expect, test } from "bun:test";
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../../server/test/support/config.ts";
import { forAllTests } from "../../server/test/support/for-all-tests.ts";
import { startTestServer } from "../../server/test/support/servers/test-server.ts";
import { AgentClient } from "../src/agent-client.ts";
import { readSetupUrl } from "../src/agent-setup.ts";

const server = await forAllTests(startTestServer());
const ann = await server.user("ann");
const folder = temporaryFolder();
const setupUrl = async (agent_name: string): Promise<string> =>
  (await ann.post("/api/agents/setup-codes", { agent_name })).body.setup_url;

test("an agent sets itself up, writes its key to a file that only its user can read, and speaks", async () => {
  const keyFile = join(folder, "key");
  const { agent, key } = await AgentClient.setup(await setupUrl("Scout"), { keyFile });
  expect([readFileSync(keyFile, "utf8"), statSync(keyFile).mode & 0o777]).toEqual([`${key.api_key}\n`, 0o600]);
  expect([agent.name, key.api_url, key.mcp_url]).toEqual(["Scout", server.url, `${server.url}/mcp`]);
  expect((await agent.send("general", "Hello.")).message_id).toBeGreaterThan(0);
});

test("a file that exists is not overwritten, and the code stays unused", async () => {
  const keyFile = join(folder, "taken");
  writeFileSync(keyFile, "another key");
  const url = await setupUrl("Rover");
  await expect(AgentClient.setup(url, { keyFile })).rejects.toMatchObject({ code: "EEXIST" });
  expect(readFileSync(keyFile, "utf8")).toBe("another key");
  expect((await AgentClient.setup(url)).agent.name).toBe("Rover");
});

test("a refused code leaves no file", async () => {
  const keyFile = join(folder, "none");
  const url = await setupUrl("Once");
  await AgentClient.setup(url);
  await expect(AgentClient.setup(url, { keyFile })).rejects.toMatchObject({ code: "setup_code_used", status: 410 });
  expect(existsSync(keyFile)).toBe(false);
});

test("the address of a code may have a path before it, and other addresses are refused", () => {
  expect(readSetupUrl("https://chat.example.org/setup#AAAA-BBBB-CCCC")).toEqual({
    url: "https://chat.example.org",
    code: "AAAA-BBBB-CCCC",
  });
  expect(readSetupUrl("https://example.org/chat/setup#X").url).toBe("https://example.org/chat");
  for (const other of ["https://example.org/", "https://example.org/setup", "https://example.org/setup#", "nothing"])
    expect(() => readSetupUrl(other)).toThrow(TypeError);
});
