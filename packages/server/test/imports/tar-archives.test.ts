import { expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { mkdir, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { openArchive } from "../../src/imports/archive/open-archive.ts";
import { folder, readAll, refusal, write } from "../support/imports/archive-reader.ts";
import { gnuNameOf, paxOf, type TarEntry, tarOf } from "../support/imports/tar-writer.ts";

const MIB = 1024 * 1024;
const text = (value: string): Uint8Array => new TextEncoder().encode(value);
const entry = (name: string | Uint8Array, more: Partial<TarEntry> = {}): TarEntry => ({
  name,
  bytes: text("[]"),
  ...more,
});

const long = `${"long-name/".repeat(20)}ø.json`;
const LARGE = "0123456789".repeat(60_000);
const SAMPLE: TarEntry[] = [
  entry("./", { bytes: text(""), type: "5" }),
  { name: "pax_global_header", bytes: text("18 comment=abcdef\n"), type: "g" },
  entry("./a/b.json"),
  entry("large", { bytes: text(LARGE) }),
  entry("empty", { bytes: text("") }),
  entry("old", { type: "\0" }),
  entry("x.json", { prefix: "a/deep" }),
  entry("gnu", { prefix: "14560000000", magic: "ustar  \0" }),
  paxOf({ mtime: "1.5", path: long }),
  entry("short"),
  gnuNameOf(`gnu/${long}`),
  entry("short"),
];
const CONTENT = {
  "a/b.json": "[]",
  "a/deep/x.json": "[]",
  empty: "",
  gnu: "[]",
  [`gnu/${long}`]: "[]",
  large: LARGE,
  [long]: "[]",
  old: "[]",
};

test("reads a tar file with names of any length, whatever its own name", async () => {
  expect(await readAll(await write(tarOf(SAMPLE)))).toEqual(CONTENT);
});

test("reads a compressed tar file, also of several parts, and leaves nothing on the disk", async () => {
  const bytes = tarOf(SAMPLE);
  expect(await readAll(await write(gzipSync(bytes)))).toEqual(CONTENT);
  const parts = [gzipSync(bytes.subarray(0, 1_000)), gzipSync(bytes.subarray(1_000))];
  expect(await readAll(await write(Buffer.concat(parts)))).toEqual(CONTENT);
  expect(readdirSync(join(folder, "gunzipped"))).toEqual([]);
});

test("reads what the system's own tar writes", async () => {
  const root = join(folder, "packed");
  await mkdir(join(root, "general"), { recursive: true });
  await writeFile(join(root, "realm.json"), "{}");
  await writeFile(join(root, "general", `${"n".repeat(180)}.json`), LARGE);
  for (const options of [["-czf"], ["--format=posix", "-czf"], ["--format=gnu", "-cf"]]) {
    const path = join(folder, "made.tar.gz");
    expect(Bun.spawnSync(["tar", ...options, path, "-C", root, "."]).exitCode).toBe(0);
    expect(await readAll(path)).toEqual({ "realm.json": "{}", [`general/${"n".repeat(180)}.json`]: LARGE });
  }
});

test("the fingerprint tells two archives apart", async () => {
  const printOf = async (entries: TarEntry[]): Promise<string> => {
    await using archive = await openArchive(await write(gzipSync(tarOf(entries))));
    return archive.fingerprint;
  };
  const print = await printOf([entry("a"), entry("b")]);
  expect(await printOf([entry("a"), entry("b")])).toBe(print);
  expect(await printOf([entry("a"), entry("c")])).not.toBe(print);
});

test.each<[string, TarEntry[], string]>([
  ["an absolute name", [entry("/etc/passwd")], 'the name "/etc/passwd" is absolute'],
  ["a name that leads out", [entry("a/../../x")], 'the name "a/../../x" leads out of its folder'],
  ["a longer name that leads out", [paxOf({ path: "../x" }), entry("x")], 'the name "../x" leads out of its folder'],
  ["a folder that leads out", [entry("../", { type: "5" })], 'the name "../" leads out of its folder'],
  ["a backslash", [entry("..\\x")], "a name has a backslash"],
  ["a zero byte", [paxOf({ path: "a\0b" }), entry("x")], "a name has a zero byte"],
  ["an empty name", [entry("")], "a file has no name"],
  ["a link", [entry("a", { type: "2", bytes: text("") })], '"a" is a link'],
  ["a hard link", [entry("a"), entry("b", { type: "1", bytes: text("") })], '"b" is a link'],
  ["a device", [entry("a", { type: "3", bytes: text("") })], '"a" is neither a file nor a folder'],
  ["a file with holes", [entry("a", { type: "S" })], '"a" is neither a file nor a folder'],
  ["another file with holes", [paxOf({ "GNU.sparse.major": "1" }), entry("a")], "has holes"],
  ["two entries of one name", [entry("a"), entry("b"), entry("./a")], 'two files are named "a"'],
  ["a name that is no UTF-8", [entry(new Uint8Array([0x61, 0xc3, 0x28]))], "is no valid UTF-8"],
  ["a wrong checksum", [entry("a", { isDamaged: true })], "there is no header at byte 0"],
  ["a size beyond the end", [entry("a", { size: 100_000 })], '"a" ends after the file'],
  ["a size above what files have", [entry("a", { size: 2 ** 33 - 1 })], '"a" ends after the file'],
  ["a size that is no number", [paxOf({ size: "many" }), entry("a")], "is invalid"],
  ["records that are damaged", [{ name: "x", bytes: text("99 path=a\n"), type: "x" }, entry("a")], "is invalid"],
  ["records of any size", [{ name: "x", bytes: new Uint8Array(MIB), type: "x" }, entry("a")], "is too large"],
])("refuses %s", async (_, entries, reason) => {
  const bytes = tarOf(entries);
  expect(await refusal(await write(bytes))).toContain(reason);
  expect(await refusal(await write(gzipSync(bytes)))).toContain(reason);
  expect(readdirSync(join(folder, "gunzipped"))).toEqual([]);
});

test("refuses an archive that is cut off anywhere", async () => {
  const whole = tarOf([entry("a.json", { bytes: text("[1,2,3]".repeat(100)) }), entry("b.json")]);
  for (let length = 262; length <= whole.length - 1024; length += 61) {
    const path = await write(whole);
    await truncate(path, length);
    expect(await refusal(path)).toContain("is cut off or damaged");
  }
  const packed = gzipSync(whole);
  for (let length = 2; length < packed.length; length += 7) {
    const path = await write(packed.subarray(0, length));
    expect(await refusal(path)).toContain("is a gzip file that is cut off or damaged");
  }
});

test("refuses what unpacks to far more than its size", async () => {
  const bomb = gzipSync(new Uint8Array(110 * MIB));
  expect(await refusal(await write(bomb))).toContain("it unpacks to more than 200 times its packed size");
  const path = await write(gzipSync(tarOf([entry("a", { bytes: new Uint8Array(2 * MIB) })])));
  await expect(readAll(path, MIB)).rejects.toThrow("If you trust it, allow more with --max-size.");
  expect(Object.keys(await readAll(path, 3 * MIB))).toEqual(["a"]);
});

test("refuses a gzip file of something else", async () => {
  expect(await refusal(await write(gzipSync(text("hello"))))).toContain("FILE is a gzip file without a tar file in it");
});
