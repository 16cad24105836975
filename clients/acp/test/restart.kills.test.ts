import { expect, test } from "bun:test";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { temporaryFolder } from "../../../packages/server/test/support/config.ts";
import { ChildServer, freePort } from "../../../packages/server/test/support/servers/child-server.ts";
import { TestSocket } from "../../../packages/server/test/support/servers/socket.ts";
import { eventually, signUp } from "../../../packages/server/test/support/servers/test-server.ts";
import type { Program } from "./support/program.ts";
import { Room } from "./support/room.ts";

/** The receipts of a room, by question. */
function receiptsOf(room: Room): Map<number, { status: string; action: string | undefined }> {
  const file = `${room.keyFile}.d/receipts.jsonl`;
  const lines = existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : [];
  const all = lines.map((line) => JSON.parse(line));
  expect(new Set(all.map(({ interaction_id }) => interaction_id)).size).toBe(all.length);
  return new Map(
    all.map(({ interaction_id, signed }) => {
      const { status, result } = JSON.parse(signed);
      return [interaction_id, { status, action: result?.action_id }];
    }),
  );
}

/** The permissions that the agent was given, in order. */
const given = (room: Room): string[] => readFileSync(room.log, "utf8").match(/^call-\w+ selected allow$/gm) ?? [];

/** Approves what is open until the last text is there. */
async function approveAll(room: Room, root: number): Promise<void> {
  await eventually("the answer is complete", async () => {
    const answers = await room.answers(root);
    for (const each of answers) if (each.interaction?.status === "open") await room.press(each, "approve");
    return answers.some(({ content }) => content.includes("Two: allow."));
  });
}

async function expectOneAnswer(room: Room, root: number): Promise<void> {
  await eventually("the item is acknowledged", async () => (await room.pending()) === 0);
  expect((await room.texts(root)).filter((text) => text.includes("Two:"))).toHaveLength(1);
  // Every permission has its receipt, and there is no second one for a question.
  const approved = [...receiptsOf(room).values()].filter(({ action }) => action === "approve");
  expect(approved.length).toBeGreaterThanOrEqual(given(room).length);
}

/** The steps of a turn that asks twice, each with how to see that it is reached. */
const STEPS: readonly [string, (room: Room, root: number, program: Program) => Promise<unknown>][] = [
  [
    "the agent has the message",
    (room) => eventually("prompted", () => /^prompt/m.test(readFileSync(room.log, "utf8"))),
  ],
  ["the first question is open", (room, root) => room.card(root)],
  ["the first question was answered", async (room, root) => room.press(await room.card(root), "approve")],
  [
    "the first receipt is stored",
    async (room, root, program) => {
      await room.press(await room.card(root), "approve");
      await eventually("a receipt", () => program.receipts.length === 1);
    },
  ],
  [
    "the second question is open",
    async (room, root) => {
      await room.press(await room.card(root), "approve");
      await room.card(root, 2);
    },
  ],
  [
    "the second question was answered",
    async (room, root) => {
      await room.press(await room.card(root), "approve");
      await room.press(await room.card(root, 2), "approve");
    },
  ],
  [
    "the last text is there",
    async (room, root) => {
      await room.press(await room.card(root), "approve");
      await room.press(await room.card(root, 2), "approve");
      await room.hears(root, "Two:");
    },
  ],
];

async function world() {
  const server = new ChildServer(temporaryFolder(), freePort(), { PARLEY_AGENT_LOOP_LIMIT: "0" });
  await server.start();
  const ann = await signUp(server.url, "ann");
  return { server, room: await Room.of(server, ann, "Worker") };
}

test.each(STEPS)(
  "kill -9 of parley-acp when %s: one answer, and each permission has one receipt",
  async (step, reach) => {
    const { server, room } = await world();
    await using _ = server;
    await using first = await room.program().ready();
    const root = await room.say("do:ask-twice");
    await reach(room, root, first);
    first.child.kill("SIGKILL");
    await first.ended;
    const open = (await room.answers(root)).filter(({ interaction }) => interaction?.status === "open");
    await using second = await room.program().ready();
    // A press on a question of the first run would be valid, and have no effect.
    await eventually("the questions of the first run have ended", async () =>
      (await room.answers(root)).every(
        ({ id, interaction }) => interaction?.status !== "open" || open.every((each) => each.id !== id),
      ),
    );
    await approveAll(room, root);
    await expectOneAnswer(room, root);
    const texts = await room.texts(root);
    const isAgain = texts.some((text) => text.includes("runs again from its beginning"));
    if (step.startsWith("the first question is")) {
      // What was open is cancelled, and asked anew.
      expect(isAgain).toBe(true);
      expect([...receiptsOf(room).values()].map(({ status }) => status)).toEqual(["cancelled", "decided", "decided"]);
    }
    expect(second.child.exitCode).toBeNull();
  },
);

test.each(STEPS)("kill -9 of the server when %s: one answer, and each permission has one receipt", async (_, reach) => {
  const { server, room } = await world();
  await using __ = server;
  await using program = await room.program().ready();
  const root = await room.say("do:ask-twice");
  await reach(room, root, program);
  await server.end("SIGKILL");
  await server.start();
  await approveAll(room, root);
  await expectOneAnswer(room, root);
  expect(given(room)).toEqual(["call-one selected allow", "call-two selected allow"]);
  expect((await room.texts(root)).join()).not.toContain("runs again");
});

test("kill -9 of the server while the agent writes: what it writes later is not lost", async () => {
  const { server, room } = await world();
  await using _ = server;
  await using __ = await room.program().ready();
  let root = 0;
  {
    using socket = await TestSocket.open(server.url, room.owner.credential);
    await socket.command("channel:join", { channel_slug: "general" });
    root = await room.say("do:in-halves");
    await socket.next(({ event, data }) => event === "stream:delta" && data.delta.includes("The first half."));
  }
  await server.end("SIGKILL");
  await server.start();
  await room.hears(root, "The first half.");
  writeFileSync(`${room.log}.go`, "");
  await eventually("the item is acknowledged", async () => (await room.pending()) === 0);
  expect((await room.texts(root)).join("")).toBe("The first half. The second half, in pieces, and the end.");
});

test.each(STEPS.slice(0, 5))(
  "kill -9 of the agent when %s: the turn is lost, and the next one works",
  async (_, reach) => {
    const { server, room } = await world();
    await using __ = server;
    await using program = await room.program().ready();
    const root = await room.say("do:ask-twice");
    await reach(room, root, program);
    process.kill(program.agentPid, "SIGKILL");
    await room.hears(root, "The turn was lost");
    await eventually("no question is open", async () =>
      (await room.answers(root)).every(({ interaction }) => interaction?.status !== "open"),
    );
    const next = await room.say("do:ask-twice");
    await approveAll(room, next);
    await expectOneAnswer(room, next);
  },
);
