import { describe, expect, test } from "bun:test";
import { temporaryFolder } from "../../packages/server/test/support/config.ts";
import { findPython } from "../../packages/server/test/support/python.ts";
import { ChildServer, freePort } from "../../packages/server/test/support/servers/child-server.ts";
import {
  type Client,
  eventually,
  signUp,
  startTestServer,
} from "../../packages/server/test/support/servers/test-server.ts";

const python = findPython();

/** Starts the program. Its warnings are errors. */
function start(url: string, key: string, ...args: string[]) {
  return Bun.spawn([python, "-W", "error", `${import.meta.dir}/agent.py`, url, ...args], {
    env: { PATH: process.env.PATH ?? "", PYTHONDONTWRITEBYTECODE: "1", PARLEY_KEY: key },
    stdout: "pipe",
    stderr: "pipe",
  });
}

const say = (user: Client, content: string) => user.post("/api/messages", { channel_slug: "general", content });

async function answers(user: Client): Promise<{ content: string; reply_to_id: number }[]> {
  const { body } = await user.get("/api/messages?channel_id=general&limit=200");
  return body.messages.filter(({ agent_name }: { agent_name: string | null }) => agent_name === "Scout");
}

describe("the Python example", () => {
  test("answers each mention once, also in Chinese, and acknowledges it", async () => {
    await using server = await startTestServer();
    const scout = await server.agent("Scout");
    const ana = await server.user("ana");
    const child = start(server.url, scout.apiKey, "Scout", "general");
    try {
      const first = await say(ana, "@Scout 你好，世界");
      await eventually("an answer", async () => (await answers(ana)).length === 1);
      await say(ana, "@Scout and you?");
      await eventually("a second answer", async () => (await answers(ana)).length === 2);
      const content = expect.stringMatching(/^I have read \d+ messages\.$/);
      expect((await answers(ana))[0]).toMatchObject({ content, reply_to_id: first.body.message_id });
      await eventually("the acknowledgement", async () => {
        const { body } = await scout.get("/api/agenthub/mentions?mark_read=false");
        return body.count === 0;
      });
    } finally {
      child.kill();
      expect(await child.stderr.text()).toBe("");
    }
  });

  test("answers each mention once although the server is killed again and again", async () => {
    await using server = new ChildServer(temporaryFolder(), freePort());
    await server.start();
    const ana = await signUp(server.url, "ana");
    const key = JSON.parse(await server.command("key", "issue", "--agent", "Scout", "--json")).api_key;
    const child = start(server.url, key, "Scout", "general");
    try {
      for (let kill = 1; kill <= 3; kill += 1) {
        await Promise.all([1, 2, 3].map((n) => say(ana, `@Scout ${kill}-${n}`)));
        await eventually("the agent is at work", async () => (await answers(ana)).length > (kill - 1) * 3);
        await server.end("SIGKILL");
        await server.start();
        await eventually("all are answered", async () => (await answers(ana)).length >= kill * 3);
      }
      const targets = (await answers(ana)).map(({ reply_to_id }) => reply_to_id);
      expect(targets).toHaveLength(9);
      expect(new Set(targets).size).toBe(9);
      expect(child.exitCode).toBeNull();
    } finally {
      child.kill();
    }
  });

  test("ends with the reason when the server refuses the key", async () => {
    await using server = await startTestServer();
    const child = start(server.url, "ply_none", "Scout", "general");
    expect(await child.stderr.text()).toBe("invalid_api_key: The API key is invalid.\n");
    expect(await child.exited).toBe(1);
  });
});
