import { expect, test } from "bun:test";
import fc from "fast-check";
import type { BrokerMessage } from "../../realtime/broker/broker.ts";
import { FeedMemory, FRAME_BYTES_MAX, FRAMES_MAX } from "./feed-memory.ts";
import { TAIL_BYTES_MAX, TAIL_MAX } from "./tail-reads.ts";

/** Builds an event of a message, or one of the channel. */
function event(
  seq: number,
  name: string,
  id?: number,
  json = `{"channel_slug":"old","content":"${seq}"}`,
): BrokerMessage {
  const frame = name === "channel:update" ? `{"data":{"channel":{"channel_slug":"new"}}}` : `${name} ${seq}`;
  return { event: name, seq, frame, ...(id === undefined ? {} : { message: { id, seq, json } }) };
}

function remembering(...events: BrokerMessage[]): FeedMemory {
  const memory = new FeedMemory();
  for (const each of events) memory.take(each.seq ?? 0, each);
  return memory;
}

const written = (count: number) => Array.from({ length: count }, (_, n) => event(n + 1, "message:new", n + 1));

test("frames after a number are returned completely or not at all", () => {
  const memory = remembering(...written(3));
  expect(memory.framesAfter(1)).toEqual(["message:new 2", "message:new 3"]);
  expect(memory.framesAfter(0)).toHaveLength(3);
  const full = remembering(...written(FRAMES_MAX + 5));
  expect(full.framesAfter(5)).toHaveLength(FRAMES_MAX);
  expect(full.framesAfter(4)).toBeNull();
  expect(new FeedMemory().framesAfter(0)).toBeNull();
});

test("the newest messages are kept, with a flag that older ones exist", () => {
  const memory = remembering(...written(TAIL_MAX));
  expect([memory.messages.length, memory.hasOlder, memory.oldestSeq]).toEqual([TAIL_MAX, false, 1]);
  memory.take(TAIL_MAX + 1, event(TAIL_MAX + 1, "message:new", TAIL_MAX + 1));
  expect([memory.messages[0]?.id, memory.messages.length, memory.hasOlder]).toEqual([2, TAIL_MAX, true]);
});

test("edited or deleted text remains in no kept frame or message", () => {
  for (const name of ["message:update", "message:delete"]) {
    const memory = remembering(...written(3), event(4, name, 2, "changed"));
    expect(memory.framesAfter(3)).toEqual([`${name} 4`]);
    expect(memory.framesAfter(2)).toEqual(["message:new 3", `${name} 4`]);
    expect(memory.framesAfter(1)).toBeNull();
    expect(memory.messages.map(({ json }) => json)[1]).toBe("changed");
  }
});

test("a channel's new slug appears in all records, and older frames are dropped", () => {
  const memory = remembering(...written(2), event(3, "channel:update"));
  expect(memory.messages.map(({ json }) => JSON.parse(json).channel_slug)).toEqual(["new", "new"]);
  expect(memory.framesAfter(2)).toHaveLength(1);
  expect(memory.framesAfter(1)).toBeNull();
});

test("every event renews the newest page", () => {
  const memory = new FeedMemory();
  for (const each of [...written(1), event(2, "message:update", 1), event(3, "member:joined")]) {
    memory.newestPage = { messagesJson: "[]" } as FeedMemory["newestPage"];
    memory.take(each.seq ?? 0, each);
    expect(memory.newestPage).toBeUndefined();
  }
});

test("two bytes a unit are counted for text that needs them, and one for other text", () => {
  const size = (text: string) => remembering(event(1, "message:new", 1, text)).bytes;
  const empty = size("");
  expect(size("x".repeat(4_000)) - empty).toBe(4_000);
  expect(size("\u{1f600}".repeat(4_000)) - empty).toBeGreaterThanOrEqual(16_000);
});

test("frames are bounded by bytes, too, the oldest are dropped first, and the newest one stays", () => {
  const memory = new FeedMemory();
  const long = (seq: number, length: number) => ({ ...event(seq, "member:joined"), frame: "x".repeat(length) });
  for (let seq = 1; seq <= 100; seq += 1) memory.take(seq, long(seq, 16_000));
  const held = memory.framesAfter(100 - Math.floor(FRAME_BYTES_MAX / 17_000));
  expect(held).not.toBeNull();
  expect(memory.framesAfter(0)).toBeNull();
  expect(memory.bytes).toBeLessThanOrEqual(FRAME_BYTES_MAX);
  memory.take(101, long(101, FRAME_BYTES_MAX + 1));
  expect(memory.framesAfter(100)).toHaveLength(1);
  expect(memory.framesAfter(99)).toBeNull();
});

test("frames that were dropped count no more", () => {
  const joined = (count: number) => remembering(...Array.from({ length: count }, (_, n) => event(n + 1, "joined")));
  const sizes = [FRAMES_MAX, FRAMES_MAX + 1, FRAMES_MAX + 9].map((count) => {
    const memory = joined(count);
    return memory.bytes - Buffer.byteLength((memory.framesAfter(count - FRAMES_MAX) ?? []).join(""));
  });
  expect(new Set(sizes).size).toBe(1);
});

test("messages are bounded by bytes, too, and it is known that older ones exist", () => {
  const long = written(100).map((each, n) => event(each.seq ?? 0, "message:new", n, "x".repeat(16_000)));
  const memory = remembering(...long);
  const held = memory.messages.reduce((sum, { json }) => sum + json.length, 0);
  expect(held).toBeLessThanOrEqual(TAIL_BYTES_MAX);
  expect(memory.messages.length).toBeGreaterThan(50);
  expect([memory.hasOlder, memory.messages.at(-1)?.seq]).toEqual([true, 100]);
});

test("a very large page is not kept, and takes no memory", () => {
  const memory = new FeedMemory();
  const page = (length: number) => ({ messagesJson: "x".repeat(length) }) as NonNullable<FeedMemory["newestPage"]>;
  memory.newestPage = page(1_000);
  expect(memory.newestPage).toBeDefined();
  memory.newestPage = page(1_000_000);
  expect(memory.newestPage).toBeUndefined();
  expect(memory.bytes).toBe(0);
});

test("the reported changes always sum to the bytes held, and forgetting leaves none", () => {
  const happening = fc.oneof(
    { weight: 6, arbitrary: fc.record({ name: fc.constant("message:new"), text: fc.string({ unit: "grapheme" }) }) },
    fc.record({
      name: fc.constantFrom("message:update", "message:delete", "reaction:update"),
      id: fc.nat(40),
      text: fc.string(),
    }),
    fc.record({ name: fc.constantFrom("channel:update", "member:joined", "page", "forget", "replace") }),
  );
  fc.assert(
    fc.property(fc.array(happening, { maxLength: 80 }), (happenings) => {
      let told = 0;
      const memory = new FeedMemory((change) => {
        told += change;
      });
      happenings.forEach(({ name, ...rest }, at) => {
        const json = "text" in rest ? `{"channel_slug":"old","content":${JSON.stringify(rest.text)}}` : undefined;
        if (name === "page") memory.newestPage = { messagesJson: "[1]" } as FeedMemory["newestPage"];
        else if (name === "forget") memory.forget();
        else if (name === "replace") memory.replace({ rows: [], hasOlder: false }, "old");
        else memory.take(at, event(at, name, json === undefined ? undefined : "id" in rest ? rest.id : at, json));
        expect(told).toBe(memory.bytes);
        const least = memory.messages.reduce((sum, { json }) => sum + json.length, 0);
        expect(memory.bytes).toBeGreaterThanOrEqual(least);
      });
      memory.forget();
      expect([told, memory.bytes, memory.framesAfter(0)]).toEqual([0, 0, null]);
    }),
    { seed: 3, numRuns: 500 },
  );
});

test("an emptied memory keeps later events and knows that older messages exist", () => {
  const memory = remembering(...written(3));
  memory.forget();
  expect([memory.messages, memory.hasOlder, memory.isForgotten]).toEqual([[], true, true]);
  memory.take(4, event(4, "message:new", 4));
  expect(memory.framesAfter(3)).toEqual(["message:new 4"]);
  expect(memory.framesAfter(2)).toBeNull();
  expect(memory.messages).toHaveLength(1);
});
