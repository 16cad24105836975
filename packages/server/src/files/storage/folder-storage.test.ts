import { expect, test } from "bun:test";
import { chmodSync, existsSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { temporaryFolder } from "../../../test/support/config.ts";
import { createLog } from "../../logging/log.ts";
import { bytesOf, hashOf, incomingFile, listed, put, storageConformance } from "./file-storage.conformance.ts";
import { FolderStorage } from "./folder-storage.ts";

const log = createLog({ level: "silent", readable: false });
const newStorage = (folder = join(temporaryFolder(), "deep", "files")) => ({
  folder,
  storage: new FolderStorage(folder, log),
});

storageConformance("a folder", async () => {
  const { folder, storage } = newStorage();
  return { storage, again: new FolderStorage(folder, log), [Symbol.asyncDispose]: async () => {} };
});

test("files and folders are readable by this user only", async () => {
  const { folder, storage } = newStorage();
  const bytes = Buffer.from("private");
  const path = incomingFile(storage, bytes);
  chmodSync(path, 0o644);
  await storage.store(hashOf(bytes), path);
  const stored = join(folder, hashOf(bytes).slice(0, 2), hashOf(bytes).slice(2, 4), hashOf(bytes));
  expect(statSync(stored).mode & 0o777).toBe(0o600);
  for (let at = dirname(stored); at.length >= folder.length; at = dirname(at)) {
    expect(statSync(at).mode & 0o777).toBe(0o700);
  }
});

test("a stored file replaces a damaged one of the same hash", async () => {
  const { folder, storage } = newStorage();
  const bytes = Buffer.from("whole and sound");
  const sha256 = await put(storage, bytes);
  writeFileSync(join(folder, sha256.slice(0, 2), sha256.slice(2, 4), sha256), "broken");
  await put(storage, bytes);
  expect((await bytesOf(storage, sha256))?.toString()).toBe("whole and sound");
});

test("the first byte alone is a part", async () => {
  const { storage } = newStorage();
  const sha256 = await put(storage, Buffer.from("abc"));
  expect((await bytesOf(storage, sha256, { from: 0, to: 0 }))?.toString()).toBe("a");
});

test("the list ignores what is not a stored file", async () => {
  const { folder, storage } = newStorage();
  const sha256 = await put(storage, Buffer.from("listed"));
  writeFileSync(join(folder, "lost+found"), "");
  writeFileSync(join(folder, sha256.slice(0, 2), sha256.slice(2, 4), `${sha256}.moving`), "");
  writeFileSync(join(folder, sha256.slice(0, 2), sha256.slice(2, 4), "0".repeat(64)), "in the wrong folder");
  incomingFile(storage, Buffer.from("unfinished"));
  expect((await listed(storage)).map(({ key }) => key)).toEqual([sha256]);
});

test("a file is moved whole from another file system", async () => {
  const { storage } = newStorage();
  const elsewhere = `/dev/shm/parley-test-${process.pid}`;
  if (!existsSync("/dev/shm") || statSync("/dev/shm").dev === statSync(storage.incoming).dev) return;
  const bytes = Buffer.alloc(3_000_000, 7);
  writeFileSync(elsewhere, bytes);
  await storage.store(hashOf(bytes), elsewhere);
  expect((await bytesOf(storage, hashOf(bytes)))?.equals(bytes)).toBe(true);
  expect(existsSync(elsewhere)).toBe(false);
  expect(readdirSync(storage.incoming)).toEqual([]);
});

test("a folder that cannot be created is an error at the opening", () => {
  const file = join(temporaryFolder(), "file");
  writeFileSync(file, "");
  expect(() => new FolderStorage(join(file, "files"), log)).toThrow();
});
