import { expect, test } from "bun:test";
import { readParts } from "./multipart-stream.ts";

const HEAD = '--a\r\nContent-Disposition: form-data; name="file"\r\n\r\n';
const END = "\r\n--a--\r\n";

async function* inPieces(body: Buffer, length: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < body.length; at += length) yield body.subarray(at, at + length);
}

async function written(content: Buffer, pieceLength: number): Promise<Buffer[]> {
  const writes: Buffer[] = [];
  const body = Buffer.concat([Buffer.from(HEAD), content, Buffer.from(END)]);
  await readParts(inPieces(body, pieceLength), "a", () => ({ write: (piece) => void writes.push(Buffer.from(piece)) }));
  return writes;
}

test("lines that begin like the delimiter cost no write each", async () => {
  const content = Buffer.alloc(64 * 1024, "\r\n--ab");
  const writes = await written(content, 16 * 1024);
  expect(Buffer.concat(writes)).toEqual(content);
  // One for a piece, and one for what was held back at its end.
  expect(writes.length).toBeLessThanOrEqual(2 * 5);
});

test("content is the same however the pieces are cut", async () => {
  const content = Buffer.from("x\r\n--ab\r\n--a \tc\r\n--a-\r\n-\r\r\n--\r\n--aa\r\n--a  \r");
  for (let length = 1; length <= 80; length++) expect(Buffer.concat(await written(content, length))).toEqual(content);
});

test("blanks may follow a delimiter, and nothing else may", async () => {
  for (const blanks of ["", " ", "\t ", " \t "]) {
    const writes: Buffer[] = [];
    const body = Buffer.from(`${HEAD.replace("--a", `--a${blanks}`)}content${END}`);
    const sink = { write: (piece: Uint8Array) => void writes.push(Buffer.from(piece)) };
    for (const length of [1, body.length]) await readParts(inPieces(body, length), "a", () => sink);
    expect(Buffer.concat(writes).toString()).toBe("contentcontent");
    expect(Buffer.concat(await written(Buffer.from(`x\r\n--a${blanks}-\r\n`), 7)).toString()).toContain(
      `--a${blanks}-`,
    );
  }
});
