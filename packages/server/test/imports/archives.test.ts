import { expect, test } from "bun:test";
import { mkdir, rm, symlink, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { openArchive } from "../../src/imports/archive/open-archive.ts";
import { SourceError } from "../../src/imports/source.ts";
import { folder, readAll, refusal, write } from "../support/imports/archive-reader.ts";
import { type ZipEntry, zipOf } from "../support/imports/zip-writer.ts";

const text = (value: string): Uint8Array => new TextEncoder().encode(value);
const entry = (name: string | Uint8Array, more: Partial<ZipEntry> = {}): ZipEntry => ({
  name,
  bytes: text("[]"),
  ...more,
});

test("reads packed and stored entries of any size", async () => {
  const large = "0123456789".repeat(400_000);
  const path = await write(
    zipOf([
      entry("a/b.json"),
      entry("ünï/ø.json", { bytes: text("ü") }),
      entry("large", { bytes: text(large), isStored: true }),
      entry("a/", { bytes: text(""), isStored: true }),
      entry("a/large.json", { bytes: text(large) }),
      entry("empty", { bytes: text("") }),
    ]),
  );
  expect(await readAll(path)).toEqual({
    "a/b.json": "[]",
    "a/large.json": large,
    empty: "",
    large,
    "ünï/ø.json": "ü",
  });
});

test("names what is in a folder of the archive", async () => {
  await using archive = await openArchive(
    await write(zipOf(["b/c/d", "a.json", "b/x", "b0", "z"].map((name) => entry(name)))),
  );
  expect([...archive.children("")]).toEqual(["a.json", "b/", "b0", "z"]);
  expect([...archive.children("b/")]).toEqual(["b/c/", "b/x"]);
  expect([...archive.children("no/")]).toEqual([]);
  expect([...archive.under("b/")].map(({ name }) => name)).toEqual(["b/c/d", "b/x"]);
});

test("the fingerprint is that of names, sizes and checksums", async () => {
  const printOf = async (entries: ZipEntry[]): Promise<string> => {
    await using archive = await openArchive(await write(zipOf(entries)));
    return archive.fingerprint;
  };
  const print = await printOf([entry("a"), entry("b")]);
  expect(await printOf([entry("b"), entry("a", { isStored: true })])).toBe(print);
  expect(await printOf([entry("a"), entry("c")])).not.toBe(print);
  expect(await printOf([entry("a"), entry("b", { bytes: text("{}") })])).not.toBe(print);
});

test.each<[string, ZipEntry[], string]>([
  ["an absolute name", [entry("/etc/passwd")], 'the name "/etc/passwd" is absolute'],
  ["a name with a drive", [entry("C:/x")], 'the name "C:/x" is absolute'],
  ["a name that leads out", [entry("a/../../x")], 'the name "a/../../x" leads out of its folder'],
  ["a folder that leads out", [entry("../", { bytes: text("") })], 'the name "../" leads out of its folder'],
  ["a backslash", [entry("..\\x")], "a name has a backslash"],
  ["a zero byte", [entry("a\0b")], "a name has a zero byte"],
  ["an empty name", [entry("")], "a file has no name"],
  ["a link", [entry("a", { mode: 0o120777 })], '"a" is a link'],
  ["an encrypted entry", [entry("a", { flags: 0x801 })], '"a" is encrypted'],
  ["an unusual method", [entry("a", { method: 12 })], '"a" is packed by an unusual method (12)'],
  ["two entries of one name", [entry("a"), entry("b"), entry("a")], 'two files are named "a"'],
  ["a name that is no UTF-8", [entry(new Uint8Array([0x61, 0xc3, 0x28]))], "is no valid UTF-8"],
  ["a wrong checksum", [entry("a", { crc: 1 })], '"a" cannot be read (its checksum is wrong)'],
  ["a size that is too small", [entry("a", { size: 1 })], '"a" cannot be read'],
  ["a size that is too large", [entry("a", { size: 3 })], '"a" cannot be read'],
  [
    "a stored entry of another size",
    [entry("a", { size: 3, isStored: true })],
    "compressed/uncompressed size mismatch",
  ],
  ["an entry that unpacks to far more than its size", [bomb({ size: 1_000 })], '"bomb" cannot be read'],
  ["an entry that says a high ratio", [bomb()], "more than 200 times its packed size"],
])("refuses %s", async (_, entries, reason) => {
  expect(await refusal(await write(zipOf(entries)))).toContain(reason);
});

/** 110 MiB of nothing, packed to some 110 KiB. */
function bomb(more: Partial<ZipEntry> = {}): ZipEntry {
  return entry("bomb", { bytes: new Uint8Array(110 * 1024 * 1024), ...more });
}

test("refuses an archive that would unpack to far more than its size, unless it is allowed", async () => {
  // Each has a ratio below 200, or is small, and says a size that it does not have.
  const entries = Array.from({ length: 12 }, (_, at) => entry(`${at}`, { size: 99 * 1024 * 1024 }));
  const path = await write(zipOf(entries));
  const message = await refusal(path);
  expect(message).toContain("it would unpack to 1.2 GiB, and at most 1.0 GiB are expected");
  expect(message).toContain("--max-size");
  await expect(readAll(path, 2 * 1024 ** 3)).rejects.toThrow("cannot be read");
});

test("refuses what is no archive", async () => {
  expect(await refusal(await write(text("hello, this is a text")))).toContain("FILE is no ZIP");
  expect(await refusal(await write(text("")))).toContain("FILE is no ZIP");
  expect(await refusal(await write(Buffer.from([0x1f, 0x8b, 8, 0])))).toContain("is a gzip file");
  expect(await refusal(join(folder, "absent"))).toContain("cannot be read: it does not exist");
});

test("refuses an archive that is cut off anywhere", async () => {
  const whole = zipOf([entry("a.json", { bytes: text("[1,2,3]".repeat(1000)) }), entry("b.json")]);
  for (let length = 2; length < whole.length; length += 7) {
    const path = await write(whole);
    await truncate(path, length);
    expect(await refusal(path)).toContain("is cut off or damaged");
  }
});

test("bytes that are changed anywhere end in one sentence, or in the same content", async () => {
  const whole = zipOf([entry("a.json", { bytes: text('[{"a":1}]'.repeat(20)) }), entry("b.json")]);
  const good = await readAll(await write(whole));
  for (let at = 0; at < whole.length; at += 1) {
    const changed = Uint8Array.from(whole);
    changed[at] = (changed[at] ?? 0) ^ 0x55;
    const path = await write(changed);
    const read = await readAll(path).catch((error: unknown) => error);
    // Times, attributes and versions are not read, and another name is another file.
    if (!(read instanceof SourceError))
      expect(Object.values(read as object).toSorted()).toEqual(Object.values(good).toSorted());
    await rm(path);
  }
});

test("reads a folder, and does not follow its links", async () => {
  const root = join(folder, "unpacked");
  await mkdir(join(root, "general"), { recursive: true });
  await writeFile(join(root, "channels.json"), "[1]");
  await writeFile(join(root, "general", "2024-01-01.json"), "[2]");
  await writeFile(join(folder, "outside.json"), "secret");
  await symlink(join(folder, "outside.json"), join(root, "link.json"));
  await symlink(folder, join(root, "loop"));
  expect(await readAll(root)).toEqual({ "channels.json": "[1]", "general/2024-01-01.json": "[2]" });
});
