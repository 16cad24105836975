import { expect, test } from "bun:test";
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../../../test/support/config.ts";
import { createLog } from "../../logging/log.ts";
import { copyBytes, type Wanted } from "./copy-bytes.ts";
import { bytesOf, hashOf, listed, put } from "./file-storage.conformance.ts";
import type { FileStorage } from "./file-storage.ts";
import { FolderStorage } from "./folder-storage.ts";

const log = createLog({ level: "silent", readable: false });
const newFolder = (): FolderStorage => new FolderStorage(join(temporaryFolder(), "files"), log);

async function stored(storage: FileStorage, texts: readonly string[]): Promise<Wanted[]> {
  const needed: Wanted[] = [];
  for (const text of texts) {
    const sha256 = await put(storage, Buffer.from(text));
    needed.push({ sha256, size: text.length, source: sha256, target: sha256 });
  }
  return needed;
}

test("a second copy copies only what is new", async () => {
  const [from, to] = [newFolder(), newFolder()];
  const first = await stored(from, ["one", "two"]);
  expect(await copyBytes(from, to, first)).toMatchObject({ copied: 2, copiedBytes: 6, present: 0 });
  const second = [...first, ...(await stored(from, ["three"]))];
  expect(await copyBytes(from, to, second)).toEqual({
    copied: 1,
    copiedBytes: 5,
    present: 2,
    missing: [],
    damaged: [],
  });
  for (const { sha256 } of second) expect(hashOf((await bytesOf(to, sha256)) ?? Buffer.alloc(0))).toBe(sha256);
});

test("lost and damaged bytes are named, and not copied", async () => {
  const [from, to] = [newFolder(), newFolder()];
  const needed = await stored(from, ["kept", "lost", "damaged"]);
  const [, lost = "", damaged = ""] = needed.map(({ sha256 }) => sha256);
  await from.remove(lost);
  const path = join(from.incoming, "..", damaged.slice(0, 2), damaged.slice(2, 4), damaged);
  writeFileSync(path, "DAMAGED");
  expect(await copyBytes(from, to, needed)).toMatchObject({ copied: 1, missing: [lost], damaged: [damaged] });
  expect(await listed(to)).toHaveLength(1);
  expect(readdirSync(to.incoming)).toEqual([]);
});

test("a copy that was cut short is replaced by the next one", async () => {
  const [from, to] = [newFolder(), newFolder()];
  const needed = await stored(from, ["whole file"]);
  await copyBytes(from, to, needed);
  const [sha256 = ""] = needed.map(({ sha256 }) => sha256);
  writeFileSync(join(to.incoming, "..", sha256.slice(0, 2), sha256.slice(2, 4), sha256), "whole");
  expect(await copyBytes(from, to, needed)).toMatchObject({ copied: 1, present: 0 });
  expect((await bytesOf(to, sha256))?.toString()).toBe("whole file");
});

test("a copy that fails in the middle keeps what it has, and a repetition continues", async () => {
  const [from, to] = [newFolder(), newFolder()];
  const needed = await stored(from, ["first", "second", "third"]);
  let reads = 0;
  const failing: FileStorage = Object.assign(Object.create(from) as FileStorage, {
    size: from.size.bind(from),
    read(sha256: string) {
      if (++reads === 2) throw new Error("the source is away");
      return from.read(sha256);
    },
  });
  await expect(copyBytes(failing, to, needed)).rejects.toThrow("away");
  expect(await copyBytes(from, to, needed)).toMatchObject({ copied: 2, present: 1 });
});
