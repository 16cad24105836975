import { expect, test } from "bun:test";
import { SourceError } from "../source.ts";
import { readJsonArray } from "./json-array.ts";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

async function* inPieces(all: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < all.length; at += size) yield all.subarray(at, at + size);
}

async function read(all: Uint8Array, size = 7): Promise<{ values: unknown[]; replaced: number }> {
  const { elements, replaced } = readJsonArray(inPieces(all, size), "list.json");
  const values: unknown[] = [];
  for await (const some of elements) values.push(...some);
  return { values, replaced: replaced() };
}

test.each([
  ["[]", []],
  [" [\n] \n", []],
  ["null", []],
  [" null \n", []],
  ["\u{feff}[1]", [1]],
  ['[1,"a",null,true,-2.5e3]', [1, "a", null, true, -2500]],
  ['[ {"a":[1,{"b":"]}"}]} ,\n "x,\\"y\\\\" , [[],{}] ]', [{ a: [1, { b: "]}" }] }, 'x,"y\\', [[], {}]]],
  ['["\\ud83d\\ude00", "😀"]', ["😀", "😀"]],
])("reads %p", async (text, wanted) => {
  for (const size of [1, 2, 3, 1000]) expect((await read(bytes(text), size)).values).toEqual(wanted);
});

test("replaces and counts what no text can have", async () => {
  const text = '[{"te\\u0000xt":"a\\ud800b\\u0000c","ok":"\\ud83d\\ude00"}]';
  expect(await read(bytes(text))).toEqual({
    values: [{ "te\u{fffd}xt": "a\u{fffd}b\u{fffd}c", ok: "😀" }],
    replaced: 3,
  });
});

const levels = (depth: number): string => "[".repeat(depth) + "]".repeat(depth);

test.each([
  ["", "it is cut off (byte 0)"],
  ["[1,2", "it is cut off (byte 4)"],
  ['[{"a":"b', "it is cut off (byte 8)"],
  ["nul", "it is cut off (byte 3)"],
  ["nullx", "not expected there (byte 4)"],
  ["{}", "not expected there (byte 0)"],
  ["[1,,2]", "not expected there (byte 3)"],
  ["[1,]", "not expected there (byte 3)"],
  ["[1]]", "not expected there (byte 3)"],
  ["[1] 2", "not expected there (byte 4)"],
  ["[1 2]", "the value at byte 1 is no JSON"],
  ["[{]}]", "the value at byte 1 is no JSON"],
  ['["\t"]', "the value at byte 1 is no JSON"],
  [levels(65), "it has more than 64 levels (byte 64)"],
])("refuses %p", async (text, reason) => {
  const refused = read(bytes(text));
  await expect(refused).rejects.toThrow(SourceError);
  await expect(refused).rejects.toThrow(reason);
});

test("takes 64 levels", async () => {
  expect((await read(bytes(levels(64)))).values).toHaveLength(1);
});

test("refuses bytes that are no UTF-8, and says where", async () => {
  const broken = Buffer.concat([bytes('["good","'), Buffer.from([0xc3, 0x28]), bytes('"]')]);
  await expect(read(broken)).rejects.toThrow("list.json is invalid: the value at byte 8 has bytes that are no UTF-8");
});

test("refuses a value above 32 MiB, and takes one of that size", async () => {
  const text = (length: number) => Buffer.concat([bytes('["'), Buffer.alloc(length, "a"), bytes('"]')]);
  const most = 32 * 1024 * 1024;
  const { values } = await read(text(most - 2), 1024 * 1024);
  expect((values[0] as string).length).toBe(most - 2);
  await expect(read(text(most - 1), 1024 * 1024)).rejects.toThrow(
    "list.json has a value of more than 32 MiB at byte 1. Parley cannot read such a large one: take it out of the file.",
  );
});
