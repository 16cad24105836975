import { expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { forAllTests } from "../../../packages/server/test/support/for-all-tests.ts";
import { eventually, startTestServer } from "../../../packages/server/test/support/servers/test-server.ts";
import { Program } from "./support/program.ts";
import { Room } from "./support/room.ts";

const server = await forAllTests(startTestServer({ rateLimits: "off", agentLoopLimit: 0, agentsPerUser: 100 }));
const ann = await server.user("ann");
const bob = await server.user("bob");
const permitted = (room: Room) => readFileSync(room.log, "utf8").match(/^call-.*$/gm) ?? [];

test("a flood of text is cut, and the next turn works", async () => {
  const room = await Room.of(server, ann, "Flood");
  await using _ = await room.program().ready();
  const root = await room.say("do:flood");
  await room.hears(root, "the rest is cut");
  const texts = await room.texts(root);
  expect(texts.join("").length).toBeLessThan(61_000);
  expect(texts.join("\n")).toContain("line 100 of a flood of text\nline 101 of a flood of text");
  await room.hears(await room.say("do:echo"), "Echo.");
});

test("a flood of updates keeps the last acts, and the next turn works", async () => {
  const room = await Room.of(server, ann, "Updater");
  await using _ = await room.program().ready();
  const flooded = await room.hears(await room.say("do:updates"), "I have flooded.");
  expect(flooded.activity).toHaveLength(50);
  expect(flooded.activity.at(-1)).toMatchObject({ id: "u499", title: "Step 3999", status: "ok" });
  await room.hears(await room.say("do:echo"), "Echo.");
});

test("what an agent asks after it ended its turn, and says after it was stopped, reaches nobody", async () => {
  const room = await Room.of(server, ann, "Late");
  await using program = await room.program().ready();
  const ended = await room.say("do:late");
  await room.hears(ended, "I end now.");
  // While it runs, the next one answers that another conversation works in the same folder.
  await eventually("the first turn is over", async () => (await room.pending()) === 0);
  const stopped = await room.say("do:stubborn");
  await eventually("it works", () => readFileSync(room.log, "utf8").match(/^prompt/gm)?.length === 2);
  await room.say("stop", { thread_root_id: stopped });
  await room.hears(stopped, "Stopped.");
  await eventually("both were refused", () => readFileSync(room.log, "utf8").match(/^late cancelled$/gm)?.length === 2);
  await room.hears(await room.say("do:echo"), "Echo.");
  expect(await room.texts(stopped)).toEqual(["Stopped."]);
  // A question that was sent before the program heard of the end is cancelled.
  for (const { interaction } of await room.answers(ended)) expect(interaction?.status ?? "cancelled").toBe("cancelled");
  for (const { signed } of program.receipts) expect(JSON.parse(signed).status).toBe("cancelled");
});

test("a request in the name of another thread whose turn has ended asks nobody and permits nothing", async () => {
  const room = await Room.of(server, ann, "Namesake");
  await using _ = await room.program().ready();
  const first = await room.say("do:echo");
  await room.hears(first, "Echo.");
  const second = await room.say("do:ask-other");
  await room.hears(second, "Other: cancelled.");
  for (const root of [first, second])
    expect((await room.answers(root)).filter(({ interaction }) => interaction !== undefined)).toEqual([]);
});

test("a card hides nothing and cannot be closed by what it quotes", async () => {
  const room = await Room.of(server, ann, "Forger");
  await using program = await room.program().ready();
  const root = await room.say("do:ask-forged");
  const card = await room.card(root);
  expect(card.content).toContain("⟨U+202E⟩");
  for (const hidden of ["\u202e", "\u0007"]) expect(card.content).not.toContain(hidden);
  expect(card.mentions).toEqual([]);
  const [, fence = ""] = /^(`{3,})json$/m.exec(card.content) ?? [];
  expect(fence.length).toBeGreaterThan(4);
  expect(card.content.split(`\n${fence}`)).toHaveLength(3);
  await room.press(card, "deny");
  await room.hears(root, "Forged: reject.");
  expect(program.receipts).toHaveLength(1);
});

test("lasting permissions are not offered, and without another nothing is permitted", async () => {
  const room = await Room.of(server, ann, "Always");
  await using program = await room.program().ready();
  const root = await room.say("do:ask-always");
  await room.hears(root, "Always: cancelled.");
  expect((await room.texts(root)).join()).toContain("no answer that holds for one time only");
  expect(program.receipts).toEqual([]);
});

test("a request in a session that does not exist asks nobody and permits nothing", async () => {
  const room = await Room.of(server, ann, "Foreign");
  await using _ = await room.program().ready();
  const root = await room.say("do:ask-foreign");
  await room.hears(root, "Foreign: cancelled");
  expect((await room.answers(root)).filter(({ interaction }) => interaction !== undefined)).toEqual([]);
});

test("a diff of megabytes is shown in part, with the hash of all of it", async () => {
  const room = await Room.of(server, ann, "Differ");
  await using _ = await room.program().ready();
  const root = await room.say("do:ask-diff");
  const card = await room.card(root);
  expect(card.content.length).toBeLessThanOrEqual(4_000);
  const [, hash = ""] = /SHA-256 `([0-9a-f]{64})`/.exec(card.content) ?? [];
  const whole: string = JSON.parse(readFileSync(`${room.keyFile}.d/asked-${hash}.json`, "utf8"));
  expect(whole.length).toBeGreaterThan(2_000_000);
  expect(createHash("sha256").update(whole).digest("hex")).toBe(hash);
  await room.press(card, "approve");
  await room.hears(root, "Diff: allow.");
});

test("somebody without the right presses in vain", async () => {
  const room = await Room.of(server, ann, "Guarded");
  await using _ = await room.program().ready();
  const root = await room.say("do:ask");
  const card = await room.card(root);
  expect((await room.press(card, "approve", bob)).body.code).toBe("not_allowed_to_answer");
  expect(permitted(room)).toEqual([]);
  await room.press(card, "approve");
  await room.hears(root, "I got: allow.");
});

test("a permission that nobody gives in time is none", async () => {
  const room = await Room.of(server, ann, "Timeout");
  await using program = await room.program(["--expires", "60"]).ready();
  const root = await room.say("do:ask");
  const card = await room.card(root);
  const id = card.interaction.interaction_id;
  // As if the minute had passed.
  await server.ctx.db
    .updateTable("interactions")
    .set({ expires_at: 1, due_at: 1 })
    .where("message_id", "=", id)
    .execute();
  await room.hears(root, "I got: undefined.");
  expect(permitted(room)).toEqual(["call-ls cancelled"]);
  expect(JSON.parse(program.receipts[0]?.signed ?? "{}").status).toBe("expired");
});

test("of two programs with one key the newer one works, and the older one says so and ends", async () => {
  const room = await Room.of(server, ann, "Twice");
  await using older = await room.program().ready();
  const asking = await room.say("do:ask");
  const card = await room.card(asking);
  await using newer = await room.program().ready();
  expect(await older.ended).toBe(1);
  expect(older.errors).toContain("Another parley-acp was started with this key and took over");
  // The turn of the older one runs again, and asks again.
  await room.hears(asking, "runs again from its beginning");
  const again = await room.card(asking, 2);
  expect(again.interaction.interaction_id).not.toBe(card.interaction.interaction_id);
  await room.press(again, "approve");
  await room.hears(asking, "I got: allow.");
  await room.hears(await room.say("do:echo"), "Echo.");
  expect(newer.child.exitCode).toBeNull();
});

test("a key that is revoked ends the program, also in the middle of a turn", async () => {
  const room = await Room.of(server, ann, "Revoked");
  await using program = await room.program().ready();
  const root = await room.say("do:ask");
  await room.card(root);
  const me = await room.agent.get("/api/agenthub/me");
  const revoked = await ann.delete(`/api/agenthub/agent-api-key/${me.body.key.key_id}`);
  expect(revoked.status).toBe(200);
  expect(await program.ended).toBe(1);
  expect(program.errors).toContain("The key is no longer valid");
  expect(permitted(room).join()).not.toContain("selected");
});

test("a thread that is deleted ends its turn", async () => {
  const room = await Room.of(server, ann, "Deleted");
  await using _ = await room.program().ready();
  const { body } = await ann.post("/api/messages", { channel_slug: "general", content: "the root" });
  const root = body.message_id ?? body.chat_message.id;
  await room.say("do:ask", { thread_root_id: root });
  await room.card(root);
  await ann.delete(`/api/messages/${root}`);
  await eventually("the agent gets no permission", () => permitted(room).join() === "call-ls cancelled");
  await room.hears(await room.say("do:echo"), "Echo.");
});

test("an agent that dies in a turn loses that turn, and the next message starts another one", async () => {
  const room = await Room.of(server, ann, "Mortal");
  await using program = await room.program().ready();
  const root = await room.say("do:ask-die");
  await room.hears(root, "The turn was lost");
  const died = await room.say("do:die");
  await room.hears(died, "The turn was lost");
  await room.hears(await room.say("do:echo"), "Echo.");
  expect(program.out.match(/^AGENT /gm)).toHaveLength(3);
});

test("an agent that is not logged in ends the program with how to log in", async () => {
  const room = await Room.of(server, ann, "Stranger");
  await using program = await room.program().ready();
  await room.hears(await room.say("do:login"), "I am not logged in");
  expect(await program.ended).toBe(1);
  expect(program.errors).toContain("The agent is not logged in. Run `node");
});

test("an agent that answers with an error fails one turn", async () => {
  const room = await Room.of(server, ann, "Failing");
  await using _ = await room.program().ready();
  await room.hears(await room.say("do:fail"), "The turn failed");
  await room.hears(await room.say("do:echo"), "Echo.");
});

test("a program without a right start says what is missing", async () => {
  const unowned = await server.agent("Unowned");
  const room = new Room(server.url, ann, "Unowned", unowned.apiKey);
  await using ownerless = room.program();
  expect([await ownerless.ended, ownerless.errors]).toEqual([1, expect.stringContaining("has no verified owner")]);
  await using noAgent = room.program([], ["/does/not/exist"]);
  expect(await noAgent.ended).toBe(1);
  await using wrong = new Program(["--key-file", room.keyFile, "--url", server.url, "--cwd", "/does/not/exist"]);
  expect([await wrong.ended, wrong.errors]).toEqual([2, expect.stringContaining("/does/not/exist does not exist")]);
  await using open = new Program(["--key-file", "/etc/passwd", "--url", server.url]);
  expect([await open.ended, open.errors]).toEqual([1, expect.stringContaining("Other users of this machine can read")]);
});
