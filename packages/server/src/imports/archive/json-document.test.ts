import { expect, test } from "bun:test";
import { SourceError } from "../source.ts";
import { type JsonPath, type JsonValue, readJsonDocument } from "./json-document.ts";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

async function* inPieces(all: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < all.length; at += size) yield all.subarray(at, at + size);
}

async function read(
  text: string | Uint8Array,
  enters: (path: JsonPath) => boolean = () => true,
  size = 5,
): Promise<{ values: JsonValue[]; replaced: number }> {
  const all = typeof text === "string" ? bytes(text) : text;
  const { values, replaced } = readJsonDocument(inPieces(all, size), "chat.json", enters);
  const found: JsonValue[] = [];
  for await (const some of values) found.push(...some);
  return { values: found, replaced: replaced() };
}

const shown = ({ values }: { values: JsonValue[] }): [string, unknown][] =>
  values.map(({ path, value }) => [path.join("/"), value]);

const CHATS = ` { "name": "Ada", "chats" : { "list":[ {"id": 7,"messages":[{"id":1}, 2 ,null]}, {"messages":[]} ] },
  "mess\\u0061ges":{"x":[]},"end":-1.5e2}\n`;

test.each([1, 2, 3, 7, 1000])("enters what it shall, in chunks of %d bytes", async (size) => {
  const enters = (path: JsonPath) => path.at(-1) !== "messages" || path.length > 1;
  expect(shown(await read(CHATS, (path) => enters(path) && path.length < 5, size))).toEqual([
    ["name", "Ada"],
    ["chats/list/0/id", 7],
    ["chats/list/0/messages/0", { id: 1 }],
    ["chats/list/0/messages/1", 2],
    ["chats/list/0/messages/2", null],
    ["messages", { x: [] }],
    ["end", -150],
  ]);
});

test("tells the names of fields from places in lists", async () => {
  const { values } = await read('[{"0":"a"}]');
  expect(values).toEqual([{ path: [0, "0"], value: "a" }]);
});

test.each([
  ["{}", []],
  [" [ ] ", []],
  ["null ", [["", null]]],
  ['\u{feff}{"a":1}', [["a", 1]]],
  ["17", [["", 17]]],
  ["true\n", [["", true]]],
  ['"a}]"', [["", "a}]"]]],
])("reads %p", async (text, wanted) => {
  for (const size of [1, 2, 1000]) expect(shown(await read(text, undefined, size))).toEqual(wanted as []);
});

test("returns a document that is not entered as one value", async () => {
  expect(shown(await read(CHATS, () => false))).toEqual([["", JSON.parse(CHATS)]]);
});

test("replaces and counts what no text can have, also in names of fields that are entered", async () => {
  const { values, replaced } = await read('{"a\\u0000":{"b":"\\ud800c"}}');
  expect(values).toEqual([{ path: ["a\u{fffd}", "b"], value: "\u{fffd}c" }]);
  expect(replaced).toBe(2);
});

const levels = (depth: number): string => `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`;

test.each([
  ["", "chat.json is no valid JSON: it is cut off (byte 0)"],
  ['{"a', "it is cut off (byte 3)"],
  ['{"a\\"', "it is cut off (byte 5)"],
  ['{"a"', "it is cut off (byte 4)"],
  ['{"a":', "it is cut off (byte 5)"],
  ['{"a":1', "it is cut off (byte 6)"],
  ['"a', "it is cut off (byte 2)"],
  ["{a:1}", "not expected there (byte 1)"],
  ['{"a" 1}', "not expected there (byte 5)"],
  ['{"a":,"b":1}', "not expected there (byte 5)"],
  ['{"a":1,}', "not expected there (byte 7)"],
  ['{"a":1]', "not expected there (byte 6)"],
  ['{"a":1}}', "not expected there (byte 7)"],
  ['{"a":1:2}', "the value at byte 5 is no JSON"],
  ['{"a":1 "b":2}', "the value at byte 5 is no JSON"],
  ['{"\\x":1}', "the value at byte 1 is no JSON"],
  ["1 2", "the value at byte 0 is no JSON"],
  [levels(65), "it has more than 64 levels (byte 320)"],
])("refuses %p", async (text, reason) => {
  for (const size of [1, 3, 1000]) {
    const refused = read(text, undefined, size);
    await expect(refused).rejects.toThrow(SourceError);
    await expect(refused).rejects.toThrow(reason);
  }
});

test.each([() => true, () => false, (path: JsonPath) => path.length < 30])(
  "takes 64 levels, and no more",
  async (enters) => {
    expect((await read(levels(64), enters)).values).toHaveLength(1);
    await expect(read(levels(65), enters)).rejects.toThrow("it has more than 64 levels (byte 320)");
  },
);

test("refuses bytes that are no UTF-8 in the name of a field, and says where", async () => {
  const broken = Buffer.concat([bytes('{"ok":1,"'), Buffer.from([0xc3, 0x28]), bytes('":2}')]);
  await expect(read(broken)).rejects.toThrow("chat.json is invalid: the value at byte 8 has bytes that are no UTF-8");
});

test("refuses a value and a name above 32 MiB, wherever they are", async () => {
  const most = 32 * 1024 * 1024;
  const long = Buffer.alloc(most - 1, "a");
  const value = Buffer.concat([bytes('{"a":["'), long, bytes('"]}')]);
  await expect(read(value, undefined, 1024 * 1024)).rejects.toThrow("has a value of more than 32 MiB at byte 6.");
  const name = Buffer.concat([bytes('{"'), long, long, bytes('":1}')]);
  await expect(read(name, undefined, 1024 * 1024)).rejects.toThrow("has a value of more than 32 MiB at byte 1.");
});
