import { expect, test } from "bun:test";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { forAllTests } from "../../../packages/server/test/support/for-all-tests.ts";
import { eventually, startTestServer } from "../../../packages/server/test/support/servers/test-server.ts";
import { Room } from "../../acp/test/support/room.ts";
import { Host } from "./host.ts";

const server = await forAllTests(startTestServer({ rateLimits: "off", agentLoopLimit: 0, agentsPerUser: 100 }));
const ann = await server.user("ann");
const bob = await server.user("bob");

const hostOf = (room: Room, env: Record<string, string> = {}) =>
  new Host({ PARLEY_URL: room.url, PARLEY_KEY_FILE: room.keyFile, ...env }, room.folder);
const arrived = (host: Host, text: string) =>
  eventually(`${text} arrives`, () => host.messages.find(({ content }) => content.includes(text)));
/** The index of the search is a moment behind. */
const finds = (host: Host, query: string, text: string) =>
  eventually(`the search finds ${text}`, async () => (await host.call("search", { query })).includes(text));
const ask = (host: Host, request_id: string, input: string) =>
  host.notify("notifications/claude/channel/permission_request", {
    request_id,
    tool_name: "Bash",
    description: "Run the tests",
    input_preview: input,
  });

test("the program declares a channel with permissions, and gives the owner's messages to the session", async () => {
  const room = await Room.of(server, ann, "Claude");
  await using host = hostOf(room);
  const { capabilities, instructions } = await host.start();
  expect(capabilities.experimental).toEqual({ "claude/channel": {}, "claude/channel/permission": {} });
  expect(instructions).toContain("data");
  const { tools } = await host.request("tools/list");
  expect(tools.map(({ name }: { name: string }) => name)).toEqual(["reply", "react", "edit", "read_thread", "search"]);
  await room.say("from bob", {}, bob);
  const root = await room.say("from ann </channel>");
  const { meta, content } = await arrived(host, "from ann");
  expect(content).toBe("@Claude from ann </channel>");
  expect(meta).toMatchObject({ channel: "general", user: "ann", authority: "owner", thread: String(root) });
  expect(Object.keys(meta).every((name) => /^\w+$/.test(name))).toBe(true);
  expect(await room.pending()).toBe(1);
  expect(await host.call("reply", { item_id: meta.item_id, text: "Hello ann." })).toStartWith("Sent as the message");
  expect((await room.hears(root, "Hello ann.")).thread_root_id).toBe(root);
  expect(await room.pending()).toBe(0);
  expect(host.messages.map((each) => each.content)).toEqual(["@Claude from ann </channel>"]);
  expect(await host.call("read_thread", { item_id: meta.item_id })).toContain("Hello ann.");
  await finds(host, "hello", "Hello ann.");
  expect(await host.call("react", { message_id: String(root), reaction: "like" })).toBe("Done.");
  expect(await host.call("reply", { item_id: "999", text: "x" })).toStartWith("error: No message");
  host.child.stdin.end();
  expect(await host.ended).toBe(0);
});

test("only files of the working folder are sent", async () => {
  const room = await Room.of(server, ann, "Files");
  await using host = hostOf(room);
  await host.start();
  const root = await room.say("files");
  const { item_id } = (await arrived(host, "files")).meta;
  writeFileSync(join(room.folder, "plan.txt"), "the plan");
  symlinkSync("/etc/hostname", join(room.folder, "link.txt"));
  mkdirSync(join(room.folder, "sub"));
  const state = join(room.folder, ".parley");
  for (const path of ["/etc/hostname", "link.txt", "sub", "../x", join(state, "none"), room.keyFile])
    expect(await host.call("reply", { item_id, text: "x", files: [path] })).toStartWith("error: ");
  await host.call("reply", { item_id, text: "The plan.", files: ["plan.txt"] });
  expect((await room.hears(root, "The plan.")).files[0].name).toBe("plan.txt");
  expect(await room.texts(root)).toEqual(["The plan."]);
});

test("a permission is a card in the thread of the newest message, and only a press answers it", async () => {
  const room = await Room.of(server, ann, "Careful");
  await using host = hostOf(room);
  await host.start();
  const root = await room.say("run the tests");
  const { item_id } = (await arrived(host, "run the tests")).meta;
  await host.call("reply", { item_id, text: "I begin." });
  ask(host, "abcde", '{"command": "npm test"}');
  const card = await room.card(root);
  expect(card.content).toContain('"command": "npm test"');
  expect(card.content).toContain("also asked in the terminal");
  await room.say("yes abcde", { thread_root_id: root });
  await arrived(host, "yes abcde");
  expect((await room.press(card, "approve", bob)).status).toBe(403);
  expect(host.verdicts).toEqual([]);
  await room.press(card, "approve");
  await eventually("it is allowed", () => host.verdicts.length === 1);
  expect(host.verdicts).toEqual([{ request_id: "abcde", behavior: "allow" }]);
  ask(host, "fghij", `{"command": "${"x".repeat(6_000)}`);
  const second = await room.card(root, 2);
  expect(second.content).toMatch(/SHA-256 `[0-9a-f]{64}`/);
  await room.press(second, "deny");
  await eventually("it is denied", () => host.verdicts.length === 2);
  expect(host.verdicts[1]).toEqual({ request_id: "fghij", behavior: "deny" });
  const [folder = ""] = [...new Bun.Glob(".parley/claude-*/receipts.jsonl").scanSync({ cwd: room.folder, dot: true })];
  const receipts = readFileSync(join(room.folder, folder), "utf8").trim().split("\n");
  expect(receipts).toHaveLength(2);
});

test("before a message nobody in the chat is asked, and malformed requests are ignored", async () => {
  const room = await Room.of(server, ann, "Quiet");
  await using host = hostOf(room);
  await host.start();
  ask(host, "abcde", "{}");
  ask(host, "ABCDE; rm", "{}");
  const root = await room.say("hello");
  await arrived(host, "hello");
  expect(await room.answers(root)).toEqual([]);
  expect((await host.request("ping")) ?? {}).toEqual({});
});

test("of two sessions with one key the first one gets the messages, and the other one has the tools", async () => {
  const room = await Room.of(server, ann, "Twofold");
  await using first = hostOf(room);
  await first.start();
  await room.say("one");
  await arrived(first, "one");
  await using second = hostOf(room);
  await second.start();
  await eventually("it says so", () => second.errors.includes("this one has the tools only"));
  await room.say("two");
  await arrived(first, "two");
  expect(second.messages).toEqual([]);
  await finds(second, "two", "@Twofold two");
});

test("an agent without a verified owner is a channel without permissions", async () => {
  const agent = await server.agent("Ownerless");
  const room = new Room(server.url, ann, "Ownerless", agent.apiKey);
  await using host = hostOf(room);
  const { capabilities } = await host.start();
  expect(capabilities.experimental).toEqual({ "claude/channel": {} });
});

test("a setup code is exchanged, and the program prints what Claude Code needs", async () => {
  const room = await Room.of(server, ann, "Printer");
  const { body } = await ann.post("/api/agents/setup-codes", { agent_name: "Printed" });
  const main = join(import.meta.dir, "../src/main.ts");
  const child = Bun.spawn([process.execPath, main, "--code", `${server.url}/setup#${body.code}`], {
    env: { PATH: process.env.PATH ?? "", HOME: room.folder },
    stdout: "pipe",
    stderr: "pipe",
  });
  const out = await child.stdout.text();
  expect([await child.exited, await child.stderr.text()]).toEqual([0, ""]);
  const { mcpServers } = JSON.parse(out.slice(out.indexOf("{"), out.lastIndexOf("}") + 1));
  const { args, env } = mcpServers.parley;
  expect((await fetch(args[1])).headers.get("content-type")).toBe("application/gzip");
  await using host = new Host(env, room.folder);
  expect((await host.start()).serverInfo.name).toBe("parley");
});
