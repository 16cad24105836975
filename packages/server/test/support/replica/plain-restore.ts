import { closeSync, ftruncateSync, openSync, writeSync } from "node:fs";
import { bodyOf, PART_BYTES, type RecordHead, readRecords } from "../../../src/replica/format.ts";
import { listSnapshots } from "../../../src/replica/snapshot.ts";
import type { ReplicaStorage } from "../../../src/replica/storage.ts";

const FRAME_HEADER = 24;

/** Returns the bytes of a chain's volumes, in their order: whole ones, or their pieces. Throws at a fork or a gap. */
export async function volumesIn(storage: ReplicaStorage, chain: string): Promise<Uint8Array[]> {
  const log = `chains/${chain}/log/`;
  const names = (await storage.list(log)).map(({ name }) => name.slice(log.length));
  const volumes = new Map<number, string>();
  for (const name of names) {
    const [volume = ""] = name.split(".");
    const number = Number(volume.slice(0, 8));
    if ((volumes.get(number) ?? volume) !== volume) throw new Error(`volume ${number} has two writers`);
    volumes.set(number, volume);
  }
  const found: Uint8Array[] = [];
  for (const number of [...volumes.keys()].sort((one, other) => one - other)) {
    const volume = volumes.get(number) ?? "";
    const parts = names.includes(volume) ? [volume] : names.filter((name) => name.startsWith(`${volume}.`)).sort();
    const bytes: Uint8Array[] = [];
    for (const part of parts) {
      const read = await storage.read(log + part);
      if (read === null) throw new Error(`${part} is gone`);
      bytes.push(read);
    }
    found.push(Buffer.concat(bytes));
  }
  return found;
}

/** Returns all records of a chain, checked. */
export async function recordsOf(storage: ReplicaStorage, chain: string) {
  return [...readRecords(Buffer.concat(await volumesIn(storage, chain)))];
}

/**
 * Restores the newest restorable chain to the newest commit until `until`, in the plainest way. Returns that commit's
 * record. Tests compare it with `parley restore`, which is another program.
 */
export async function restorePlainly(
  storage: ReplicaStorage,
  target: string,
  until = Number.POSITIVE_INFINITY,
): Promise<RecordHead> {
  const snapshot = (await listSnapshots(storage)).filter(({ file }) => file.least.at <= until).at(-1);
  if (snapshot === undefined) throw new Error("there is no snapshot that old");
  const { chain, number, file } = snapshot;
  const handle = openSync(target, "wx+", 0o600);
  try {
    let page = 0;
    for (const [index, part] of file.parts.entries()) {
      const name = `chains/${chain}/snapshots/${String(number).padStart(6, "0")}/pages-${String(index + 1).padStart(6, "0")}`;
      const stored = await storage.read(name);
      if (stored === null || part.pages * file.pageSize > PART_BYTES) throw new Error(`${name} is gone or wrong`);
      writeSync(handle, bodyOf(stored, part.pages * file.pageSize), 0, undefined, page * file.pageSize);
      page += part.pages;
    }
    const records = (await recordsOf(storage, chain)).filter(({ head }) => head.n >= file.start.record);
    if (records[0]?.head.n !== file.start.record) throw new Error("the chain does not go back to the snapshot");
    const wanted = records.findLast(({ head }) => head.type === "frames" && head.commit && head.at <= until)?.head;
    if (wanted === undefined || wanted.type !== "frames") throw new Error("there is no commit that old");
    for (const { head, body } of records) {
      if (head.n > wanted.n) break;
      if (head.type !== "frames") continue;
      const size = FRAME_HEADER + file.pageSize;
      const frames = Buffer.from(bodyOf(body, head.frames * size));
      for (let at = 0; at < frames.length; at += size)
        writeSync(handle, frames, at + FRAME_HEADER, file.pageSize, (frames.readUInt32BE(at) - 1) * file.pageSize);
    }
    ftruncateSync(handle, wanted.pages * file.pageSize);
    return wanted;
  } finally {
    closeSync(handle);
  }
}
