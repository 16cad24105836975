import { pause } from "../base/timers.ts";
import type { Position } from "./chain-log.ts";
import { jsonOf } from "./claim.ts";
import { FORMAT, parsed, SnapshotFile } from "./format.ts";
import type { ReplicaStorage } from "./storage.ts";
import type { Slice } from "./thread.ts";

/** A part is followed by a pause of this many times what it took: the disk and the processor are others' as well. */
const PACE = 4;
const RETRY_MS = 1_000;

/** The parts of the replica that a snapshot needs. */
export interface SnapshotSource {
  readonly storage: ReplicaStorage;
  readonly chain: string;
  readonly pageSize: number;
  /** False: the chain has been left, or the server stops. */
  isWanted(): boolean;
  now(): number;
  monotonic(): number;
  slice(page: number): Promise<Slice | null>;
  /** Copies the log, and returns how far. */
  position(): Promise<Position>;
  /** Resolves when the replica has the records up to that one. */
  uploaded(record: number): Promise<void>;
  failed(error: unknown): void;
}

const folderOf = (chain: string, number: number): string =>
  `chains/${chain}/snapshots/${String(number).padStart(6, "0")}`;

export interface KnownSnapshot {
  chain: string;
  number: number;
  file: SnapshotFile;
}

/** Returns the complete snapshots of a chain or, with an empty name, of all chains, in their order. */
export async function listSnapshots(storage: ReplicaStorage, chain = ""): Promise<KnownSnapshot[]> {
  const found: KnownSnapshot[] = [];
  for (const { name } of await storage.list(chain === "" ? "chains/" : `chains/${chain}/snapshots/`)) {
    const [, of = "", number] = /^chains\/([^/]+)\/snapshots\/(\d{6})\/snapshot\.json$/.exec(name) ?? [];
    const bytes = number === undefined ? null : await storage.read(name);
    if (bytes !== null) found.push({ chain: of, number: Number(number), file: parsed(SnapshotFile, bytes, name) });
  }
  return found;
}

/**
 * Copies the database's file while the server writes (rule 9). Returns the snapshot, or null if it is no longer wanted.
 * While the replica is away, it tries again.
 */
export async function takeSnapshot(source: SnapshotSource, number: number): Promise<SnapshotFile | null> {
  const { chain, pageSize } = source;
  const folder = folderOf(chain, number);
  const began = source.now();
  const { start, segment } = await source.position();
  const parts: SnapshotFile["parts"] = [];
  for (let page = 1; ; ) {
    const from = source.monotonic();
    if (!source.isWanted()) return null;
    const slice = await source.slice(page);
    if (slice === null) break;
    const { bytes, pages, sha256 } = slice;
    parts.push({ pages, bytes: bytes.length, sha256 });
    await persist(source, `${folder}/pages-${String(parts.length).padStart(6, "0")}`, bytes);
    page += pages;
    await pause((source.monotonic() - from) * PACE, { unref: true });
  }
  const end = await source.position();
  await source.uploaded(end.n);
  const least = { record: end.n, at: end.at };
  const file = {
    format: FORMAT,
    pageSize,
    began,
    at: source.now(),
    start: { ...start, segment },
    least,
    parts,
  } as const;
  await persist(source, `${folder}/snapshot.json`, jsonOf(file));
  return source.isWanted() ? file : null;
}

async function persist(source: SnapshotSource, name: string, bytes: Uint8Array): Promise<void> {
  while (source.isWanted()) {
    try {
      return await source.storage.write(name, bytes);
    } catch (error) {
      source.failed(error);
      await pause(RETRY_MS, { unref: true });
    }
  }
}
