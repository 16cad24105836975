import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../support/config.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import { eventually, startTestServer } from "../support/servers/test-server.ts";

/** Follows docs/guide/agents.md: its commands return what the guide shows, and its program works. */
const GUIDE = new URL("../../../../docs/guide/agents.md", import.meta.url).pathname;

const server = await forAllTests(startTestServer());
const guide = await Bun.file(GUIDE).text();

const blocks = (language: string): string[] =>
  [...guide.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\``, "gms"))].map(([, text = ""]) => text);

/** The commands of the guide with the output it shows. Creating a key is not an agent's call. */
function walk(): { command: string; shown: string }[] {
  const steps = blocks("console").flatMap((block) => block.split(/^\$ /m).slice(1));
  return steps
    .map((step) => ({ command: step.split("\n", 1)[0] ?? "", shown: step.slice(step.indexOf("\n")).trim() }))
    .filter(({ command }) => !command.startsWith("npm "));
}

/** Times and the epoch differ between runs, and the online list arrives at any moment after the login. */
const settled = (text: string): string =>
  text
    .replace(/@\d+\/[0-9a-f]+/g, "@<ms>/<epoch>")
    .replace(/event: user:list\ndata: .*(\n\n|$)/g, "")
    .trim();

/** Returns whether the response matches the shown text, in which `…` stands for anything. */
function fits(said: string, shown: string): boolean {
  const parts = settled(shown)
    .split("…")
    .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${parts.join(".*")}$`, "s").test(settled(said));
}

test("the first commands of the agents guide lead from a key to an answered mention", async () => {
  await using fresh = await startTestServer();
  const [{ apiKey }, bob] = [await fresh.agent("Scout"), await fresh.user("bob")];
  const [setup = "", ...commands] = blocks("bash");
  expect(setup).toContain("PARLEY_KEY=ply_…");
  expect(commands).toHaveLength(4);
  const env = { PATH: process.env.PATH ?? "", PARLEY_URL: fresh.url, PARLEY_KEY: apiKey };
  const answers = [];
  for (const command of commands) {
    if (command.includes("/inbox?")) {
      await bob.post("/api/messages", { channel_slug: "general", content: "@Scout what is new?" });
    }
    const child = Bun.spawn(["bash", "-euc", command], { env, stdout: "pipe", stderr: "pipe" });
    answers.push(JSON.parse(await child.stdout.text()));
  }
  expect(answers).toMatchObject([
    { success: true },
    { count: 1, items: [{ item_id: 1, kind: "mention", chat_message: { id: 1 } }] },
    { success: true, chat_message: { reply_to_id: 1 } },
    { success: true, acknowledged: 1, remaining: 0 },
  ]);
});

test("the commands in the agents guide return the output it shows", async () => {
  const { apiKey } = await server.agent("Scout");
  const [setup = ""] = blocks("sh");
  const here = setup.replace(/^URL=.*$/m, `URL=${server.url}`).replace(/^KEY=.*$/m, `KEY=${apiKey}`);
  const steps = walk();
  const script = [here, ...steps.map(({ command }) => `${command}\necho "== done"`)].join("\n");
  const child = Bun.spawn(["bash", "-c", script], { cwd: temporaryFolder(), stdout: "pipe", stderr: "pipe" });
  const [out, errors] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  expect(errors).toBe("");
  const said = out.split("== done\n").map((text) => text.trim());
  const others = steps.flatMap(({ command, shown }, n) =>
    fits(said[n] ?? "", shown) ? [] : [{ command, said: said[n] }],
  );
  expect(others).toEqual([]);
  expect(steps.length).toBeGreaterThan(10);
});

test("the program in the agents guide answers a mention and acknowledges it", async () => {
  const helper = await server.agent("Helper");
  const ann = await server.user("ann");
  const [source = ""] = blocks("js");
  const path = join(temporaryFolder(), "agent.mjs");
  writeFileSync(path, source);
  const child = Bun.spawn([process.execPath, path, server.url, helper.apiKey, "Helper", "general"], { stderr: "pipe" });
  try {
    const asked = await ann.post("/api/messages", { channel_slug: "general", content: "@Helper are you there?" });
    const answers = await eventually("an answer", async () => {
      const { body } = await ann.get(`/api/messages?channel_id=general&after_seq=${asked.body.seq}`);
      return body.messages.length > 0 ? body.messages : null;
    });
    const content = expect.stringMatching(/^I have read \d+ messages\.$/);
    expect(answers).toMatchObject([{ agent_name: "Helper", reply_to_id: asked.body.message_id, content }]);
    await eventually("its acknowledgement", async () => {
      const { body } = await helper.get("/api/agenthub/mentions?mark_read=false");
      return body.count === 0;
    });
  } finally {
    child.kill();
    expect(await child.stderr.text()).toBe("");
  }
});
