import { expect, test } from "bun:test";
import { existsSync, readFileSync, statSync } from "node:fs";
import { forAllTests } from "../../../packages/server/test/support/for-all-tests.ts";
import { TestSocket } from "../../../packages/server/test/support/servers/socket.ts";
import { eventually, startTestServer } from "../../../packages/server/test/support/servers/test-server.ts";
import { EXAMPLE } from "./support/program.ts";
import { Room } from "./support/room.ts";

const server = await forAllTests(startTestServer({ rateLimits: "off", agentLoopLimit: 0, agentsPerUser: 100 }));
const ann = await server.user("ann");
const bob = await server.user("bob");

test("a mention begins a thread, in which the example agent of ACP asks for a permission and ends its turn", async () => {
  const room = await Room.of(server, ann, "Example");
  await using program = await room.program([], ["node", EXAMPLE]).ready();
  const root = await room.say("please improve the configuration");
  const card = await room.card(root);
  expect(card.content).toContain("Modifying critical configuration file");
  expect(card.content).toContain("new-host");
  expect(card.components[0].elements.map(({ label }: { label: string }) => label)).toEqual([
    "Allow this change",
    "Skip this change",
  ]);
  // What was written before the question is a message of its own.
  expect((await room.texts(root))[0]).toContain("Let me start by reading some files");
  await room.press(card, "approve");
  await room.hears(root, "I've successfully updated the configuration");
  await eventually("one receipt is printed", () => program.receipts.length === 1);
  expect(program.receipts[0]?.result?.action_id).toBe("approve");
  const kept = readFileSync(`${room.keyFile}.d/receipts.jsonl`, "utf8");
  expect(JSON.parse(kept)).toEqual(program.receipts[0]);
  await eventually("nothing waits any more", async () => (await room.pending()) === 0);
  const last = (await room.answers(root)).at(-1);
  expect(last.activity).toMatchObject([{ kind: "edit", status: "ok", title: "Modifying critical configuration file" }]);
  const { body } = await ann.get("/api/agents/sessions");
  const session = body.sessions.find((each: { agent_name: string }) => each.agent_name === "Example");
  expect(session).toMatchObject({ thread_root_id: root, state: "done", title: "please improve the configuration" });
});

test("a thread is one session of the agent, and a denial reaches it", async () => {
  const room = await Room.of(server, ann, "Denied");
  await using _ = await room.program().ready();
  const root = await room.say("do:ask");
  await room.press(await room.card(root), "deny");
  await room.hears(root, "I got: reject.");
  await room.say("do:echo", { thread_root_id: root });
  await room.hears(root, "Echo.");
  const log = readFileSync(room.log, "utf8");
  expect(log.match(/^new /gm)).toHaveLength(1);
  expect(new Set(log.match(/^prompt .*$/gm)).size).toBe(1);
});

test("messages of a direct conversation are a session", async () => {
  const room = await Room.of(server, ann, "Private");
  await using _ = await room.program().ready();
  const { body } = await ann.post("/api/direct", { agent_name: "Private" });
  await ann.post("/api/messages", { channel_slug: body.channel_slug, content: "do:echo" });
  await eventually("it answers", async () => {
    const { body: page } = await ann.get(`/api/messages?channel_slug=${body.channel_slug}`);
    return page.messages.some(({ content }: { content: string }) => content === "Echo.");
  });
});

test("only the owner gives it work, and others are told so once", async () => {
  const room = await Room.of(server, ann, "Loyal");
  await using _ = await room.program().ready();
  const other = await server.agent("Other");
  await other.post("/api/agenthub/send", { channel_slug: "general", message: "@Loyal do:echo", agent_name: "Other" });
  await room.say("do:echo", {}, bob);
  await room.say("do:echo", {}, bob);
  const root = await room.say("do:echo");
  await room.hears(root, "Echo.");
  await eventually("nothing waits any more", async () => (await room.pending()) === 0);
  const { body } = await ann.get("/api/messages?channel_slug=general&limit=100");
  const own = body.messages.filter(
    (each: { agent_name: string | null; thread_root_id: number | null }) =>
      each.agent_name === "Loyal" && each.thread_root_id === null,
  );
  expect(own.map(({ content }: { content: string }) => content)).toEqual(["I work only for my owner."]);
});

test("people and agents that are named give it work", async () => {
  const room = await Room.of(server, ann, "Open");
  await using _ = await room.program(["--allow", "owner,bob,agent:Named"]).ready();
  const named = await server.agent("Named");
  const sent = await named.post("/api/agenthub/send", {
    channel_slug: "general",
    message: "@Open do:echo",
    agent_name: "Named",
  });
  await room.hears(sent.body.message_id, "Echo.");
  await room.hears(await room.say("do:echo", {}, bob), "Echo.");
});

test("a card names other approvers and takes two of them", async () => {
  const room = await Room.of(server, ann, "Careful");
  await using _ = await room.program(["--approvers", "ann,bob", "--quorum", "2"]).ready();
  const root = await room.say("do:ask-several");
  const card = await room.card(root);
  expect(card.interaction).toMatchObject({ kind: "approval", quorum: 2 });
  await room.press(card, "approve");
  await room.press(card, "approve", bob);
  await room.hears(root, "Several: here.");
});

test("several answers become a choice, whose receipt names the option", async () => {
  const room = await Room.of(server, ann, "Chooser");
  await using program = await room.program().ready();
  const root = await room.say("do:ask-several");
  const card = await room.card(root);
  const [row] = card.components;
  expect(row.elements.map(({ label }: { label: string }) => label)).toEqual(["Here", "Everywhere", "Nowhere"]);
  await room.press(card, row.elements[1].action_id);
  await room.hears(root, "Several: every where.");
  expect(program.receipts[0]?.result?.action_id).toBe(row.elements[1].action_id);
});

test("in a channel whose rule asks for two people, several answers become an approval", async () => {
  const room = await Room.of(server, ann, "Ruled");
  await using _ = await room.program(["--approvers", "ann,bob"]).ready();
  const made = await ann.post("/api/channels", { channel_slug: "ruled", name: "Ruled" });
  expect(made.status).toBe(201);
  const id = made.body.channel?.channel_id ?? made.body.channel_id;
  await bob.post(`/api/channels/${id}/join`, {});
  expect((await ann.put(`/api/channels/${id}`, { approval_rule: { role: "member", quorum: 2 } })).status).toBe(200);
  const root = await room.say("do:ask-several", { channel_slug: "ruled" });
  const card = await room.card(root);
  expect(card.interaction).toMatchObject({ kind: "approval", quorum: 2 });
  await room.press(card, "approve");
  await room.press(card, "approve", bob);
  await room.hears(root, "Several: here.");
});

test("the word stop ends a turn, and the deleted message does", async () => {
  const room = await Room.of(server, ann, "Stopper");
  await using _ = await room.program().ready();
  const root = await room.say("do:wait");
  await eventually("it works", () => readFileSync(room.log, "utf8").includes("prompt"));
  await room.say("stop", { thread_root_id: root });
  await room.hears(root, "Stopped.");
  const asking = await room.say("do:ask");
  const card = await room.card(asking);
  await ann.delete(`/api/messages/${asking}`);
  await eventually("the card is cancelled", async () => {
    const { body } = await ann.get(`/api/interactions/${card.interaction.interaction_id}`);
    return body.interaction?.status === "cancelled";
  });
  await room.hears(await room.say("do:echo"), "Echo.");
});

test("a stop in the page ends the turn while it writes or asks, and the next message is answered", async () => {
  const room = await Room.of(server, ann, "Halted");
  await using _ = await room.program().ready();
  const { agent_id } = (await room.agent.get("/api/agenthub/me")).body;
  using socket = await TestSocket.open(server.url, ann.credential);
  await socket.command("channel:join", { channel_slug: "general" });
  const stop = async (root: number) => {
    const [{ channel_id }] = (await ann.get(`/api/messages/${root}/thread`)).body.messages;
    const { body } = await ann.post(`/api/channels/${channel_id}/stop`, { agent_id, thread_root_id: root });
    expect(body.stopped).toBe(true);
    await room.hears(root, "Stopped.");
  };
  const writing = await room.say("do:wait");
  await socket.next(({ event, data }) => event === "stream:delta" && data.delta.includes("I wait."));
  await stop(writing);
  // What it had written is there once, and nothing follows.
  expect(await room.texts(writing)).toEqual(["I wait.", "Stopped."]);
  const asking = await room.say("do:ask");
  const card = await room.card(asking);
  await stop(asking);
  await eventually("the card is cancelled", async () => {
    const { body } = await ann.get(`/api/interactions/${card.interaction.interaction_id}`);
    return body.interaction.status === "cancelled";
  });
  await room.hears(await room.say("do:echo"), "Echo.");
});

test("the agent sees no key, writes no forged line, and shows what it did", async () => {
  const room = await Room.of(server, ann, "Clean");
  await using program = await room.program().ready();
  const root = await room.say("do:tools");
  const answer = await room.hears(root, "I have read.");
  expect(answer.activity.map(({ kind, status, target }: Record<string, string>) => [kind, status, target])).toEqual([
    ["read", "ok", "/a/1.md"],
    ["read", "ok", "/a/2.md"],
    ["read", "ok", "/a/3.md"],
  ]);
  expect(JSON.stringify(await room.answers(root))).not.toContain("secret thought");
  await room.hears(await room.say("do:env"), "Keys: 0.");
  const controls = await room.say("do:controls");
  expect((await room.hears(controls, "red")).content).toBe("aredb\nREADY forged\nRECEIPT {}");
  expect(program.out.match(/^(READY|RECEIPT) .*$/gm)).toEqual(["READY Clean"]);
  expect(program.errors).toContain("parley-acp: agent: READY forged");
  expect(program.errors).not.toContain("\u001b");
});

test("a tool call whose end the agent never reports ends with the turn, and what was done last is always shown", async () => {
  const room = await Room.of(server, ann, "Half");
  await using _ = await room.program().ready();
  const half = await room.hears(await room.say("do:half"), "I leave it half done.");
  const shown = half.activity.map(({ title, status }: Record<string, string>) => [title, status]);
  expect(shown.sort()).toEqual([
    ["Build (the agent reported no end)", "failed"],
    ["Lint", "ok"],
    ["Test (the agent reported no end)", "failed"],
  ]);
  const root = await room.say("do:silent");
  await room.press(await room.card(root), "deny");
  const end = await room.hears(root, "(The agent ended its turn.)");
  expect(end.activity).toMatchObject([{ title: "Run ls", status: "denied" }]);
  // What was said before the question does not say that the call still runs.
  expect((await room.hears(root, "I ask.")).activity).toBeUndefined();
});

test("a long text goes on in the next message, with its block of code open", async () => {
  const room = await Room.of(server, ann, "Long");
  await using _ = await room.program().ready();
  const root = await room.say("do:long");
  await room.hears(root, "line299");
  const texts = await room.texts(root);
  expect(texts.length).toBeGreaterThan(2);
  for (const text of texts) expect([text.length <= 4_000, text.match(/^```/gm)?.length]).toEqual([true, 2]);
  const code = texts.map((text) => text.replace(/^```\w*$/gm, "").trim()).join("\n");
  expect(code.split("\n")).toHaveLength(300);
});

test("a setup code is exchanged for a key that only its user can read, and the same line starts again", async () => {
  const made = await ann.post("/api/agents/setup-codes", { agent_name: "Fresh" });
  const room = new Room(server.url, ann, "Fresh", "ply_nobody");
  const line = ["--code", made.body.setup_url.replace(/^https?:\/\/[^/]+/, server.url)];
  for (const run of [1, 2]) {
    await using program = await new (await import("./support/program.ts")).Program(line, undefined, {
      HOME: room.folder,
      SCRIPTED_LOG: room.log,
    }).ready();
    if (run === 1) {
      const [, file = ""] = /The key is in (\S+)\. /.exec(program.errors) ?? [];
      expect(existsSync(file)).toBe(true);
      expect(statSync(file).mode & 0o777).toBe(0o600);
    }
    program.child.kill("SIGTERM");
    expect(await program.ended).toBe(0);
  }
});
