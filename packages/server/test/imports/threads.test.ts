import { expect, test } from "bun:test";
import { openImport } from "../../src/imports/open/open.ts";
import type { SourceMessage } from "../../src/imports/source.ts";
import { writeImport } from "../../src/imports/write/write.ts";
import { eachDatabase } from "../support/databases.ts";
import { forAllTests } from "../support/for-all-tests.ts";
import { memoryStage, sourceChannel, sourceMessage, sourceUser } from "../support/imports/memory-stage.ts";
import { startTestServer } from "../support/servers/test-server.ts";

const DAY = Date.UTC(2016, 1, 3);
const at = (minutes: number): number => DAY + minutes * 60_000;

interface Shown {
  id: number;
  seq: number;
  content: string;
  is_deleted: boolean;
  thread_root_id: number | null;
  created_at: string;
}

eachDatabase(async (_, open) => {
  const server = await forAllTests(startTestServer({ rateLimits: "off" }, { database: await open() }));
  const { ctx } = server;
  const reader = await server.newUser();
  let imports = 0;

  /** Returns the messages of the channel after an import, each with the text of its root. */
  async function imported(messages: readonly SourceMessage[]) {
    const [id, channel] = [`f${++imports}`, `c${imports}`];
    const stage = memoryStage({
      users: [sourceUser("U1"), sourceUser("U2")],
      channels: [sourceChannel("C1", { name: channel, memberIds: ["U1", "U2"] })],
      messages,
    });
    const workspace = { id, name: id };
    const { importId, counts } = await writeImport(ctx, { ...stage, workspace }, { format: "slack", fingerprint: id });
    await openImport(ctx, importId);
    const { channels } = (await reader.get("/api/channels")).body;
    const { id: channelId } = channels.find((one: { channel_slug: string }) => one.channel_slug === channel);
    const shown: Shown[] = (await reader.get(`/api/messages?channel_id=${channelId}&limit=100`)).body.messages;
    expect(shown.map(({ seq }) => seq)).toEqual(shown.map((_, at) => at + 1));
    expect(shown.map((message) => message.id)).toEqual(shown.map((message) => message.id).toSorted((a, b) => a - b));
    const texts = new Map(shown.map((message) => [message.id, message.is_deleted ? "(gone)" : message.content]));
    return {
      counts,
      shown: shown.map(({ id, thread_root_id }) => [texts.get(id), texts.get(thread_root_id ?? 0) ?? null]),
      times: shown.map(({ created_at }) => (Date.parse(created_at) - DAY) / 60_000),
    };
  }

  test("a reply to a reply is one to its root", async () => {
    const { shown } = await imported([
      sourceMessage("a", { at: at(0) }),
      sourceMessage("b", { at: at(1), threadId: "a" }),
      sourceMessage("c", { at: at(2), threadId: "b" }),
    ]);
    expect(shown).toEqual([
      ["a", null],
      ["b", "a"],
      ["c", "a"],
    ]);
  });

  test("the earliest message of a circle is the root", async () => {
    const { shown } = await imported([
      sourceMessage("x", { at: at(0), threadId: "z" }),
      sourceMessage("y", { at: at(1), threadId: "x" }),
      sourceMessage("z", { at: at(2), threadId: "y" }),
      sourceMessage("self", { at: at(3), threadId: "self" }),
    ]);
    expect(shown).toEqual([
      ["x", null],
      ["y", "x"],
      ["z", "x"],
      ["self", null],
    ]);
  });

  test("replies to a message that is absent stay together behind a tombstone, at its own time if the id says it", async () => {
    const id = `C1/${at(1) / 1_000}.000000`;
    const { shown, times } = await imported([
      sourceMessage("before", { at: at(0) }),
      sourceMessage("between", { at: at(2) }),
      sourceMessage("one", { at: at(3), threadId: id }),
      sourceMessage("two", { at: at(4), threadId: id }),
      sourceMessage("other", { at: at(5), threadId: "unknown" }),
    ]);
    expect(shown).toEqual([
      ["before", null],
      ["(gone)", null],
      ["between", null],
      ["one", "(gone)"],
      ["two", "(gone)"],
      ["(gone)", null],
      ["other", "(gone)"],
    ]);
    expect(times).toEqual([0, 1, 2, 3, 4, 5, 5]);
  });

  test("replies that are older than their root follow it, with its time", async () => {
    const { shown, times, counts } = await imported([
      sourceMessage("early", { at: at(0), threadId: "root" }),
      sourceMessage("other", { at: at(1) }),
      sourceMessage("root", { at: at(2) }),
      sourceMessage("late", { at: at(3), threadId: "root" }),
    ]);
    expect(shown).toEqual([
      ["other", null],
      ["root", null],
      ["early", "root"],
      ["late", "root"],
    ]);
    expect(times).toEqual([1, 2, 2, 3]);
    expect(counts.messages).toMatchObject({ taken: 4, changed: 1 });
  });

  test("a message that is empty is left out, unless it has replies", async () => {
    const { shown, counts } = await imported([
      sourceMessage("nothing", { at: at(0), text: " " }),
      sourceMessage("root", { at: at(1), text: "" }),
      sourceMessage("reply", { at: at(2), threadId: "root" }),
    ]);
    expect(shown).toEqual([
      ["(gone)", null],
      ["reply", "(gone)"],
    ]);
    expect(counts.messages).toMatchObject({ taken: 2, left_out: 1 });
  });

  test("a message that is too long is split, and its replies and marks are at the first part", async () => {
    const long = "word ".repeat(8_000).trim();
    const { shown, counts } = await imported([
      sourceMessage("long", { at: at(0), text: long, reactions: [{ reaction: "👍", userIds: ["U2"] }] }),
      sourceMessage("reply", { at: at(1), threadId: "long" }),
    ]);
    const parts = shown.slice(0, -1);
    expect(parts).toHaveLength(3);
    expect(parts.map(([text]) => text).join(" ")).toBe(long);
    expect(shown.at(-1)).toEqual(["reply", parts[0]?.[0] ?? ""]);
    expect(counts.messages.taken).toBe(2);
  });
});
