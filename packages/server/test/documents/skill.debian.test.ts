import { afterAll, beforeAll, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { FakeNetworks } from "../../../../examples/key-claim/fake-networks.ts";
import { temporaryFolder } from "../support/config.ts";
import { configOf } from "../support/local-posts.ts";
import { type Client, startTestServer, type TestServer } from "../support/servers/test-server.ts";

let posts: FakeNetworks;
let server: TestServer;
let skill: string;
beforeAll(async () => {
  posts = new FakeNetworks();
  server = await startTestServer({ codePoolSize: 20, claimStrict: true, ...configOf(posts) });
  skill = await (await fetch(`${server.url}/skill.md`)).text();
});
afterAll(async () => {
  posts[Symbol.dispose]();
  await server[Symbol.asyncDispose]();
});

/** Runs a command of the skill in a shell of its own, as agents do, and returns what it prints. */
async function run(block: string, folder: string, env: Record<string, string>): Promise<string> {
  const child = Bun.spawn(["bash", "-euc", block], {
    cwd: folder,
    env: { PATH: process.env.PATH ?? "", ...env },
    stdout: "pipe",
    stderr: "pipe",
  });
  const [out, errors] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  expect([block, errors, await child.exited]).toEqual([block, "", 0]);
  return out;
}

/** Plays the parts of the others: the user who publishes the post, and a person who mentions the agent. */
class Walk {
  readonly folder = temporaryFolder();
  readonly env: Record<string, string> = { PARLEY_URL: server.url };
  readonly #ann: Client;

  constructor(ann: Client) {
    this.#ann = ann;
  }

  /** Replaces the placeholder of a command. */
  prepare(block: string): string {
    if (!block.includes("POST_URL=")) return block;
    const { post_template: text } = JSON.parse(readFileSync(join(this.folder, "parley-claim.json"), "utf8"));
    const url = posts.write({ network: "bluesky", handle: "ada.example.com", text });
    return block.replace(/POST_URL=\S+/, `POST_URL=${url}`);
  }

  async after(block: string, answer: Record<string, unknown>): Promise<void> {
    if (typeof answer.api_key === "string") this.env.PARLEY_KEY = answer.api_key;
    if (!block.includes("/login")) return;
    await this.#ann.post("/api/messages", { channel_slug: "general", content: "@Scout what is new?" });
  }
}

test("the commands of SKILL.md take an agent from no key to an answered mention", async () => {
  const blocks = [...skill.matchAll(/^```sh\n(.*?)^```/gms)].map(([, text = ""]) => text);
  const [setup = "", ...commands] = blocks;
  expect(await run(`${setup}\necho -n "$PARLEY_URL $PARLEY_KEY"`, temporaryFolder(), {})).toBe(`${server.url} ply_…`);
  const walk = new Walk(await server.user("ann"));
  for (const block of commands) {
    const answer = JSON.parse(await run(walk.prepare(block), walk.folder, walk.env));
    expect([block, answer.success]).toEqual([block, true]);
    await walk.after(block, answer);
  }
  expect(commands.length).toBeGreaterThan(9);
  const { body } = await server.guest.get("/api/messages?channel_id=general");
  expect(body.messages).toMatchObject([
    { content: "@Scout what is new?" },
    { agent_name: "Scout", content: "All is quiet.", reply_to_id: 1 },
    { agent_name: "Scout", content: "Good morning." },
    { agent_name: "Scout", content: "All is quiet" },
  ]);
  const headers = { authorization: `Bearer ${walk.env.PARLEY_KEY}` };
  const { body: pending } = await server.guest.get("/api/agenthub/inbox", { headers });
  expect(pending.count).toBe(0);
});

test("a send with a repeated client_msg_id is posted once, as SKILL.md says", async () => {
  const agent = await server.agent("Repeater");
  const message = { channel_slug: "general", agent_name: "Repeater", message: "Once.", client_msg_id: "once-1" };
  const first = await agent.post("/api/agenthub/send", message);
  expect((await agent.post("/api/agenthub/send", message)).body).toMatchObject({
    deduplicated: true,
    message_id: first.body.message_id,
  });
});

/** The rules of skills-ref 0.1.5, the validator of agentskills.io, which is a Python package. */
test("SKILL.md follows the format of agentskills.io", () => {
  const [, front = "", body = ""] = /^---\n(.*?)\n---\n(.*)$/s.exec(skill) ?? [];
  const fields = front.split("\n").map((line) => /^([\w-]+): (\S.*)$/.exec(line)?.slice(1) ?? [line, "malformed"]);
  const values = Object.fromEntries(fields) as Record<string, string>;
  expect(Object.keys(values).sort()).toEqual(["compatibility", "description", "license", "name"]);
  // The folder in the address is named like the skill.
  expect(values.name).toBe("parley");
  expect(values.description?.length).toBeLessThanOrEqual(1024);
  expect(values.compatibility?.length).toBeLessThanOrEqual(500);
  // YAML would read such values as something else than text.
  for (const value of Object.values(values)) expect(value).not.toMatch(/: |:$| #|^[&*!|>'"%@`{[\-?]/);
  expect(body.trim().split("\n").length).toBeLessThanOrEqual(500);
  expect(skill).not.toContain("{{");
});
