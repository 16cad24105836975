import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { AppError } from "../../errors.ts";
import { boundaryOf, partsOf } from "./multipart.ts";

const part = (headers: string, content: string): string => `--XX\r\n${headers}\r\n\r\n${content}\r\n`;
const disposition = (parameters: string): string => `Content-Disposition: form-data; ${parameters}`;
const END = "--XX--\r\n";

/** Each part as `name | file name | content`. */
const read = (body: string): string[] =>
  partsOf(Buffer.from(body), "XX").map(({ name, fileName, bytes }) => `${name} | ${fileName} | ${bytes}`);

function refused(act: () => unknown): string {
  try {
    act();
    return "none";
  } catch (error) {
    if (error instanceof AppError) return error.code;
    throw error;
  }
}

describe("boundaryOf", () => {
  test.each([
    ["multipart/form-data; boundary=XX", "XX"],
    ['multipart/form-data; boundary="a b:c"', "a b:c"],
    ["Multipart/Form-Data;  Boundary=XX ; charset=utf-8", "XX"],
    [
      "multipart/form-data; charset=utf-8; boundary=----WebKitFormBoundary7MA4YWxkTrZu0gW",
      "----WebKitFormBoundary7MA4YWxkTrZu0gW",
    ],
  ])("reads the boundary of %s: %s", (type, boundary) => expect(boundaryOf(type)).toBe(boundary));

  test.each([
    [null, "unsupported_media_type"],
    ["application/json", "unsupported_media_type"],
    ["multipart/mixed; boundary=XX", "unsupported_media_type"],
    ["multipart/form-data-x; boundary=XX", "unsupported_media_type"],
    ["multipart/form-data", "invalid_request"],
    ["multipart/form-data; boundary=", "invalid_request"],
    ['multipart/form-data; boundary=""', "invalid_request"],
    ['multipart/form-data; boundary="ends with a blank "', "invalid_request"],
    [`multipart/form-data; boundary=${"x".repeat(71)}`, "invalid_request"],
    ['multipart/form-data; boundary="ü"', "invalid_request"],
  ])("refuses %s: %s", (type, code) => expect(refused(() => boundaryOf(type))).toBe(code));
});

describe("partsOf", () => {
  test.each([
    [
      "as browsers write them",
      `${disposition('name="file"; filename="ü😀.gif"')}\r\nContent-Type: image/gif`,
      "file | ü😀.gif | GIF",
    ],
    [
      "as .NET writes them",
      disposition("name=file; filename=a.gif; filename*=utf-8''%C3%BC.gif"),
      "file | ü.gif | GIF",
    ],
    ["as Python writes them", disposition("name=\"file\"; filename*=UTF-8''%e2%98%95.gif"), "file | ☕.gif | GIF"],
    ["with an invalid filename*", disposition("name=\"file\"; filename*=UTF-8''%e2%9"), "file |  | GIF"],
    ["with a quote in a name", disposition('name="file"; filename="a\\"b%22c.gif"'), 'file | a"b"c.gif | GIF'],
    ["with a Windows path", disposition('name="file"; filename="C:\\dir\\a.gif"'), "file | C:\\dir\\a.gif | GIF"],
    ["with a semicolon in a name", disposition('filename="a;name=x;.gif"; name="file"'), "file | a;name=x;.gif | GIF"],
    ["in small letters", 'content-disposition:form-data;name="file"', "file | null | GIF"],
    ["after other headers", `Content-Type: image/gif\r\n${disposition('name="file"')}`, "file | null | GIF"],
  ])("reads the headers of a part: %s", (_, headers, expected) =>
    expect(read(part(headers, "GIF") + END)).toEqual([expected]),
  );

  test("returns the bytes between the delimiters unchanged, even if they resemble a delimiter", () => {
    const contents = ["", "\r\n", "\r\n--X", "x\r\n--XXY\r\nz", "--XX", "a\r\n\r\nb", "\0\u00ff"];
    const body = contents.map((content, at) => part(disposition(`name="p${at}"`), content)).join("");
    expect(read(body + END)).toEqual(contents.map((content, at) => `p${at} | null | ${content}`));
  });

  test("leaves nested forms and encoded content as they were sent", () => {
    const nested = `--YY\r\n${disposition('name="b"')}\r\n\r\n1\r\n--YY--`;
    const mixed = part(`${disposition('name="a"')}\r\nContent-Type: multipart/mixed; boundary=YY`, nested);
    const base64 = part(`${disposition('name="c"')}\r\nContent-Transfer-Encoding: base64`, "R0lG");
    expect(read(mixed + base64 + END)).toEqual([`a | null | ${nested}`, "c | null | R0lG"]);
  });

  test("returns repeated and dangerous names like any other (`readForm` refuses them)", () => {
    const names = ["a", "a", "__proto__", "constructor"];
    const body = names.map((name) => part(`__proto__: x\r\n${disposition(`name="${name}"`)}`, "1")).join("");
    expect(read(body + END)).toEqual(names.map((name) => `${name} | null | 1`));
  });

  test("ignores a preamble, an epilogue and blanks after a delimiter", () => {
    const body = `for people\r\n--XX \t\r\n${disposition('name="a"')}\r\n\r\n1\r\n--XX--\r\nthe end`;
    expect(read(body)).toEqual(["a | null | 1"]);
    expect(read("--XX--")).toEqual([]);
  });

  test.each([
    ["empty", ""],
    ["no form", "hello world"],
    ["no end", part(disposition('name="a"'), "1")],
    ["no line break at the end", part(disposition('name="a"'), "1").slice(0, -2)],
    ["cut off in the headers", "--XX\r\nContent-Disposition: form-data; na"],
    ["no disposition", part("Content-Type: image/gif", "GIF") + END],
    ["no name", part(disposition('filename="x"'), "GIF") + END],
    ["no form-data", part('Content-Disposition: attachment; name="a"', "GIF") + END],
    ["line feeds only", part(disposition('name="a"'), "1").replaceAll("\r\n", "\n") + END],
    ["text after a boundary", `--XX x\r\n${disposition('name="a"')}\r\n\r\n1\r\n--XX--`],
    ["another boundary", `--XXX\r\n${disposition('name="a"')}\r\n\r\n1\r\n--XX--`],
    ["endless headers", part(`${disposition('name="a"')}\r\nX: ${"y".repeat(5_000)}`, "1") + END],
    ["64 KiB of headers", part(`X: ${"y".repeat(65_536)}\r\n${disposition('name="a"')}`, "1") + END],
    ["one part too many", part(disposition('name="a"'), "1").repeat(33) + END],
    ["10,000 parts", part(disposition('name="a"'), "1").repeat(10_000) + END],
  ])("refuses a body: %s", (_, body) => expect(refused(() => read(body))).toBe("invalid_request"));

  test("reads any form back as it was written (property)", () => {
    const content = fc.uint8Array({ maxLength: 60 });
    const text = fc
      .constantFrom("\r\n--XX", "\r\n--X", "--XX--", "\r\n\r\n", "\r", "\n", "a")
      .chain((piece) => content.map((bytes) => Buffer.concat([bytes, Buffer.from(piece), bytes])));
    fc.assert(
      fc.property(fc.array(fc.oneof(content, text), { maxLength: 6 }), (contents) => {
        fc.pre(
          contents.every((bytes) => !/\r\n--XX(--|[ \t]*\r\n)/.test(`${Buffer.from(bytes).toString("latin1")}\r\n`)),
        );
        const pieces = contents.flatMap((bytes, at) => [
          Buffer.from(`--XX\r\n${disposition(`name="${at}"; filename="f"`)}\r\n\r\n`),
          bytes,
          Buffer.from("\r\n"),
        ]);
        const parts = partsOf(Buffer.concat([...pieces, Buffer.from(END)]), "XX");
        expect(parts.map(({ bytes }) => bytes.toString("hex"))).toEqual(
          contents.map((bytes) => Buffer.from(bytes).toString("hex")),
        );
      }),
      { numRuns: 2_000 },
    );
  });

  test("returns parts or a refusal for any bytes (property)", () => {
    const good =
      part(disposition('name="file"; filename="a.gif"'), "GIF89a") + part(disposition('name="n"'), "x") + END;
    const change = fc.tuple(
      fc.nat({ max: good.length }),
      fc.string({ unit: "binary", maxLength: 4 }),
      fc.nat({ max: 9 }),
    );
    fc.assert(
      fc.property(fc.array(change, { minLength: 1, maxLength: 4 }), (changes) => {
        let body = good;
        for (const [at, text, gone] of changes) body = body.slice(0, at) + text + body.slice(at + gone);
        expect(["none", "invalid_request"]).toContain(refused(() => read(body)));
      }),
      { numRuns: 5_000 },
    );
  });
});
