import { expect, test } from "bun:test";
import { SourceError } from "../source.ts";
import { readJsonLines } from "./json-lines.ts";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

/** Gives the pieces in one buffer, which is used again for each. */
async function* inPieces(all: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  const buffer = new Uint8Array(size);
  for (let at = 0; at < all.length; at += size) {
    const piece = all.subarray(at, at + size);
    buffer.set(piece);
    yield buffer.subarray(0, piece.length);
  }
}

async function read(all: Uint8Array, size = 7, isWanted?: (line: Uint8Array) => boolean) {
  const { lines, replaced } = readJsonLines(inPieces(all, size), "list.jsonl", isWanted);
  const found: [number, unknown][] = [];
  for await (const some of lines) for (const { number, value } of some) found.push([number, value]);
  return { found, replaced: replaced() };
}

test.each([
  ["", []],
  ["\n \n\r\n", []],
  ["1", [[1, 1]]],
  ['\u{feff}{"a":"\\n"}\n', [[1, { a: "\n" }]]],
  [
    '[1]\n\n"x"\r\nnull\n {"a":[]} ',
    [
      [1, [1]],
      [3, "x"],
      [4, null],
      [5, { a: [] }],
    ],
  ],
])("reads %j, however it is cut", async (text, wanted) => {
  for (const size of [1, 2, 3, 1000]) expect((await read(bytes(text), size)).found as unknown).toEqual(wanted);
});

test("neither parses nor checks a line that is not wanted, and counts it", async () => {
  const { found } = await read(bytes('no JSON\n"yes"'), 4, (line) => line[0] !== 0x6e);
  expect(found).toEqual([[2, "yes"]]);
});

test("replaces and counts what no text can have", async () => {
  expect(await read(bytes('"a\\u0000"\n"\\ud800b"\n"\\ud83d\\ude00"'))).toEqual({
    found: [
      [1, "a\u{fffd}"],
      [2, "\u{fffd}b"],
      [3, "😀"],
    ],
    replaced: 2,
  });
});

const levels = (depth: number): string => "[".repeat(depth) + "]".repeat(depth);

test.each([
  ["1\n{", "line 2 is no JSON"],
  ["1\n\n1 2", "line 3 is no JSON"],
  [`"[[[[[["\n${levels(65)}`, "line 2 has more than 64 levels"],
])("refuses %p", async (text, reason) => {
  const refused = read(bytes(text));
  await expect(refused).rejects.toThrow(SourceError);
  await expect(refused).rejects.toThrow(`list.jsonl is invalid: ${reason}`);
});

test("takes 64 levels", async () => {
  expect((await read(bytes(levels(64)))).found).toHaveLength(1);
});

test("refuses a line above 32 MiB, and takes one of that size", async () => {
  const text = (length: number) => Buffer.concat([bytes('1\n"'), Buffer.alloc(length, "a"), bytes('"\n')]);
  const most = 32 * 1024 * 1024;
  expect((await read(text(most - 2), 1024 * 1024)).found[1]?.[1]).toHaveLength(most - 2);
  await expect(read(text(most - 1), 1024 * 1024)).rejects.toThrow(
    "list.jsonl has a line of more than 32 MiB (line 2). Parley cannot read such a large one: take it out of the file.",
  );
});
