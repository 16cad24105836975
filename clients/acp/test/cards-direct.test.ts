import { expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { forAllTests } from "../../../packages/server/test/support/for-all-tests.ts";
import { type Client, eventually, startTestServer } from "../../../packages/server/test/support/servers/test-server.ts";
import { Room } from "./support/room.ts";

const server = await forAllTests(startTestServer({ rateLimits: "off", agentLoopLimit: 0, agentsPerUser: 100 }));
const ann = await server.user("ann");
const bob = await server.user("bob");
const permitted = (room: Room) => readFileSync(room.log, "utf8").match(/^call-.*$/gm) ?? [];

/** Opens the direct conversation of a person with the agent. Returns a function that waits for its n-th open card. */
async function conversation(name: string, who: Client = ann) {
  const { status, body } = await who.post("/api/direct", { agent_name: name });
  expect([200, 201]).toContain(status);
  return (number = 1) =>
    eventually("a card is open in the conversation", async () => {
      const page = (await who.get(`/api/messages?channel_slug=${body.channel_slug}`)).body;
      const cards = page.messages.filter(({ interaction }: { interaction?: unknown }) => interaction !== undefined);
      const card = cards[number - 1];
      return card?.interaction.status === "open" ? card : null;
    });
}

test("the owner is asked in the direct conversation, and the thread shows the title and the hash only", async () => {
  const room = await Room.of(server, ann, "Discreet");
  const card = await conversation("Discreet");
  await using program = await room.program(["--cards", "direct"]).ready();
  const root = await room.say("do:ask");
  const asked = await card();
  expect(asked.content).toContain('"command": "ls"');
  const [, hash = ""] = /SHA-256 of the request is `([0-9a-f]{64})`/.exec(asked.content) ?? [];
  const told = await room.hears(root, "I asked ann in our direct conversation");
  expect(told.content).toContain(`\`Run ls\`\nSHA-256 of the request: \`${hash}\``);
  const texts = (await room.texts(root)).join("\n");
  expect(texts).not.toContain('"command"');
  expect((await room.answers(root)).filter(({ interaction }) => interaction !== undefined)).toEqual([]);
  const whole = JSON.parse(readFileSync(`${room.keyFile}.d/asked-${hash}.json`, "utf8"));
  expect(createHash("sha256").update(whole).digest("hex")).toBe(hash);
  expect((await room.press(asked, "approve", bob)).status).toBe(404);
  await room.press(asked, "approve");
  await room.hears(root, "I got: allow.");
  expect(program.receipts).toHaveLength(1);
});

test("a conversation that nobody opened, or a channel with a rule, permits nothing", async () => {
  const room = await Room.of(server, ann, "Bound");
  await using program = await room.program(["--cards", "direct"]).ready();
  expect(program.errors).toContain("Nothing can be permitted before ann opens a direct conversation");
  const first = await room.say("do:ask");
  await room.hears(first, "which only ann can open");
  await room.hears(first, "I got: undefined.");
  const card = await conversation("Bound");
  const made = await ann.post("/api/channels", { channel_slug: "bound", name: "Bound" });
  const id = made.body.channel_id;
  const rule = (approval_rule: object | null) => ann.put(`/api/channels/${id}`, { approval_rule });
  expect((await rule({ role: "admin", quorum: 1 })).status).toBe(200);
  const ruled = await room.say("do:ask", { channel_slug: "bound" });
  await room.hears(ruled, "This channel has a rule about who permits");
  await room.hears(ruled, "I got: undefined.");
  // One that is made while the question is open holds, too.
  expect((await rule(null)).status).toBe(200);
  const open = await room.say("do:ask", { channel_slug: "bound" });
  const asked = await card();
  expect((await rule({ role: "admin", quorum: 2 })).status).toBe(200);
  await room.press(asked, "approve");
  await room.hears(open, "Meanwhile this channel got a rule");
  // The agent logs what it got a moment after the thread is told.
  await eventually("the agent got three answers", () => permitted(room).length === 3);
  expect(new Set(permitted(room))).toEqual(new Set(["call-ls cancelled"]));
});

test("a question of a run that was killed is cancelled there, and those of other threads stay", async () => {
  const room = await Room.of(server, ann, "Killed");
  const card = await conversation("Killed");
  await using first = await room.program(["--cards", "direct"]).ready();
  const root = await room.say("do:ask");
  const lost = await card(1);
  first.child.kill("SIGKILL");
  await first.ended;
  // As if the crash had come before the question was noted.
  const file = `${room.keyFile}.d/state.json`;
  const state = JSON.parse(readFileSync(file, "utf8"));
  for (const turn of Object.values<{ cards: number[] }>(state.turns)) turn.cards = [];
  await Bun.write(file, JSON.stringify(state));
  await using _ = await room.program(["--cards", "direct"]).ready();
  const again = await card(2);
  const { body } = await ann.get(`/api/interactions/${lost.interaction.interaction_id}`);
  expect(body.interaction.status).toBe("cancelled");
  const other = await room.say("do:ask");
  await card(3);
  await room.press(again, "approve");
  await room.hears(root, "I got: allow.");
  await room.press(await card(3), "deny");
  await room.hears(other, "I got: reject.");
});

test("several people cannot be asked in a direct conversation", async () => {
  const room = await Room.of(server, ann, "Many");
  for (const args of [
    ["--approvers", "ann,bob"],
    ["--quorum", "2"],
    ["--cards", "nowhere"],
  ]) {
    await using program = room.program(["--cards", "direct", ...args]);
    expect([await program.ended, program.errors]).toEqual([2, expect.stringContaining("--cards")]);
  }
});
