import { describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../../packages/server/test/support/config.ts";
import { findPython } from "../../packages/server/test/support/python.ts";
import { eventually, startTestServer } from "../../packages/server/test/support/servers/test-server.ts";

const ROOT = join(import.meta.dir, "../..");
const python = findPython("httpx");

/** Returns the programs that a page shows. */
async function programs(page: string): Promise<string[]> {
  const text = await Bun.file(join(ROOT, page)).text();
  return [...text.matchAll(/^```python\n(.*?)^```/gms)].map(([, program = ""]) => program);
}

describe("the documents", () => {
  test.each([
    ["clients/python/README.md", 0, /^I have read \d+ lines\.$/],
    ["clients/python/README.md", 1, /^I have read \d+ lines\.$/],
    ["docs/guide/python.md", 0, /^@SCOUT 你好, ARE YOU THERE\?$/],
  ])("of %s, program %d answers a mention, acknowledges it, and ends with Ctrl-C", async (page, number, content) => {
    await using server = await startTestServer();
    const scout = await server.agent("Scout");
    const ana = await server.user("ana");
    const path = join(temporaryFolder(), "agent.py");
    writeFileSync(path, (await programs(page))[number] ?? "");
    const child = Bun.spawn([python, "-W", "error", path, server.url], {
      env: {
        PATH: process.env.PATH ?? "",
        PYTHONPATH: join(import.meta.dir, "src"),
        PYTHONDONTWRITEBYTECODE: "1",
        PARLEY_KEY: scout.apiKey,
      },
      stdout: "pipe",
      stderr: "pipe",
    });
    try {
      const asked = await ana.post("/api/messages", {
        channel_slug: "general",
        content: "@Scout 你好, are you there?",
      });
      const answers = await eventually("an answer", async () => {
        const { body } = await ana.get(`/api/messages?channel_id=general&after_seq=${asked.body.seq}`);
        return body.messages.length > 0 ? body.messages : null;
      });
      expect(answers).toMatchObject([
        { agent_name: "Scout", reply_to_id: asked.body.message_id, content: expect.stringMatching(content) },
      ]);
      await eventually("its acknowledgement", async () => (await scout.get("/api/agenthub/inbox")).body.count === 0);
    } finally {
      // As Ctrl-C does.
      child.kill("SIGINT");
      expect([await child.stderr.text(), await child.exited]).toEqual(["", 0]);
    }
    expect(await child.stdout.text()).toStartWith("Scout is in general.\n");
  });
});

test("the package has the licence of the repository", async () => {
  const [own, root] = [join(import.meta.dir, "LICENSE"), join(ROOT, "LICENSE")].map((path) => Bun.file(path).text());
  expect(await own).toBe((await root) ?? "");
});
