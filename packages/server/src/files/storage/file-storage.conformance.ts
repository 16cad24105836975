import { describe, expect, test } from "bun:test";
import { createHash, randomBytes } from "node:crypto";
import { existsSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { systemClock } from "../../clock.ts";
import { type ByteRange, type FileStorage, newKey, type StoredFile } from "./file-storage.ts";

/** An empty storage, and a second opening of the same one, as another node or a restarted server has it. */
export interface StorageBench extends AsyncDisposable {
  storage: FileStorage;
  again: FileStorage;
}

export const hashOf = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

let files = 0;

/** Writes the bytes as an upload would, and returns the path. */
export function incomingFile(storage: FileStorage, bytes: Uint8Array): string {
  const path = join(storage.incoming, `upload-${++files}`);
  writeFileSync(path, bytes, { mode: 0o600 });
  return path;
}

export async function put(storage: FileStorage, bytes: Uint8Array): Promise<string> {
  const sha256 = hashOf(bytes);
  await storage.store(sha256, incomingFile(storage, bytes));
  return sha256;
}

/** Reads a file, or a part, into memory; null if it is not there. */
export async function bytesOf(storage: FileStorage, sha256: string, range?: ByteRange): Promise<Buffer | null> {
  const found = await storage.read(sha256, range);
  return found === null ? null : Buffer.from(await new Response(found).arrayBuffer());
}

export async function listed(storage: FileStorage): Promise<StoredFile[]> {
  const all: StoredFile[] = [];
  for await (const file of storage.list()) all.push(file);
  return all;
}

/** Tests the promises of every storage. Called by the test of each implementation. */
export function storageConformance(name: string, make: () => Promise<StorageBench>): void {
  describe(`${name}, as a storage of files,`, () => {
    test("returns the bytes that it was given, also to another server", async () => {
      await using bench = await make();
      for (const size of [1, 4_095, 70_000]) {
        const bytes = randomBytes(size);
        const sha256 = await put(bench.storage, bytes);
        for (const storage of [bench.storage, bench.again]) {
          expect(await storage.size(sha256)).toBe(size);
          expect((await bytesOf(storage, sha256))?.equals(bytes)).toBe(true);
        }
      }
    });

    test("keeps the same bytes under two keys apart", async () => {
      await using bench = await make();
      const bytes = Buffer.from("twice");
      const [first, second] = [newKey(systemClock, hashOf(bytes)), newKey(systemClock, hashOf(bytes))];
      for (const key of [first, second]) await bench.storage.store(key, incomingFile(bench.storage, bytes));
      await bench.storage.remove(first);
      expect(await bench.again.size(first)).toBeNull();
      expect((await bytesOf(bench.again, second))?.equals(bytes)).toBe(true);
      expect((await listed(bench.storage)).map(({ key }) => key)).toEqual([second]);
    });

    test("takes the temporary file away", async () => {
      await using bench = await make();
      const bytes = Buffer.from("the temporary file goes");
      const path = incomingFile(bench.storage, bytes);
      await bench.storage.store(hashOf(bytes), path);
      expect(existsSync(path)).toBe(false);
    });

    test("has a private folder for uploads", async () => {
      await using bench = await make();
      expect(statSync(bench.storage.incoming).mode & 0o777).toBe(0o700);
    });

    test("stores large files whole", async () => {
      await using bench = await make();
      const bytes = randomBytes(17 * 1024 * 1024 + 3);
      const sha256 = await put(bench.storage, bytes);
      expect(await bench.storage.size(sha256)).toBe(bytes.length);
      expect(hashOf((await bytesOf(bench.again, sha256)) ?? Buffer.alloc(0))).toBe(sha256);
    });

    test("returns parts of a file by their first and last byte", async () => {
      await using bench = await make();
      const bytes = randomBytes(10_000);
      const sha256 = await put(bench.storage, bytes);
      for (const [from, to] of [
        [0, 1],
        [0, 9_999],
        [9_999, 9_999],
        [1_234, 5_678],
      ] as const) {
        const part = await bytesOf(bench.storage, sha256, { from, to });
        expect(part?.equals(bytes.subarray(from, to + 1))).toBe(true);
      }
    });

    test("knows nothing of a file that was never stored or was removed, and removes it twice", async () => {
      await using bench = await make();
      const sha256 = await put(bench.storage, Buffer.from("short-lived"));
      await bench.storage.remove(sha256);
      await bench.again.remove(sha256);
      for (const absent of [sha256, "0".repeat(64)]) {
        expect(await bench.storage.size(absent)).toBeNull();
        expect(await bench.storage.read(absent)).toBeNull();
        expect(await bench.storage.read(absent, { from: 0, to: 3 })).toBeNull();
      }
      expect(await listed(bench.again)).toEqual([]);
    });

    test("stores the same file again, at the same time and after its removal", async () => {
      await using bench = await make();
      const bytes = randomBytes(50_000);
      const sha256 = hashOf(bytes);
      await Promise.all(Array.from({ length: 8 }, (_, n) => put(n % 2 === 0 ? bench.storage : bench.again, bytes)));
      expect((await bytesOf(bench.storage, sha256))?.equals(bytes)).toBe(true);
      await bench.storage.remove(sha256);
      await put(bench.storage, bytes);
      expect((await bytesOf(bench.again, sha256))?.equals(bytes)).toBe(true);
      expect(await listed(bench.storage)).toHaveLength(1);
    });

    test("lists every file once, in the order of the hashes, with size and time", async () => {
      await using bench = await make();
      const before = Date.now() - 60_000;
      const all = await Promise.all(Array.from({ length: 30 }, (_, n) => put(bench.storage, Buffer.alloc(n + 1, n))));
      const found = await listed(bench.again);
      expect(found.map(({ key }) => key)).toEqual([...all].sort());
      expect(found.map(({ sizeBytes }) => sizeBytes).sort((a, b) => a - b)).toEqual(all.map((_, n) => n + 1));
      for (const { storedAt } of found) {
        expect(storedAt).toBeGreaterThan(before);
        expect(storedAt).toBeLessThan(Date.now() + 60_000);
      }
    });

    test("refuses everything that is not a hash", async () => {
      await using bench = await make();
      const path = incomingFile(bench.storage, Buffer.from("x"));
      const hash = "0".repeat(64);
      for (const name of [
        "",
        "../../etc/passwd",
        `${hash}/x`,
        hash.slice(1),
        `${hash}0`,
        `${hash}-`,
        `${hash}-${"0".repeat(15)}/`,
        `${hash}-${"0".repeat(17)}`,
        `${hash}\n`,
        "G".repeat(64),
      ]) {
        expect(bench.storage.store(name, path)).rejects.toThrow(TypeError);
        expect(bench.storage.read(name)).rejects.toThrow(TypeError);
        expect(bench.storage.size(name)).rejects.toThrow(TypeError);
        expect(bench.storage.remove(name)).rejects.toThrow(TypeError);
      }
      expect(existsSync(path)).toBe(true);
    });

    test("leaves nothing under the hash when the temporary file is missing", async () => {
      await using bench = await make();
      const sha256 = hashOf(Buffer.from("absent"));
      expect(bench.storage.store(sha256, join(bench.storage.incoming, "absent"))).rejects.toThrow();
      expect(await bench.storage.size(sha256)).toBeNull();
    });

    test("says how much room there is, or that nobody knows", async () => {
      await using bench = await make();
      const room = await bench.storage.freeBytes();
      if (room === null) return;
      expect(room.free).toBeGreaterThan(0);
      expect(room.total).toBeGreaterThanOrEqual(room.free);
    });
  });
}
