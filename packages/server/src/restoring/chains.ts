import {
  ChainFile,
  IdentityFile,
  type LogRecord,
  parsed,
  ReplicaDamage,
  readRecords,
  SnapshotFile,
} from "../replica/format.ts";
import type { ReplicaStorage } from "../replica/storage.ts";

export interface Snapshot {
  /** The beginning of its objects' names. */
  folder: string;
  file: SnapshotFile;
}

/** A run of the log without a gap (replica/format.ts). */
export interface Chain {
  name: string;
  file: ChainFile;
  /** The complete ones, the oldest first. */
  snapshots: readonly Snapshot[];
}

/** The content of a replica, without the log itself. */
export interface ReplicaContent {
  /** The identity of the database. */
  database: string;
  /** The oldest first. */
  chains: readonly Chain[];
}

/** How often a listing that has become old is repeated. */
const LISTS_MAX = 5;

/** An object that was listed is gone, because it was merged or is too old. */
class ObjectGone extends Error {}

/** Runs `act` again, with a new listing, while objects go. */
async function listingAgain<T>(act: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await act();
    } catch (error) {
      if (!(error instanceof ObjectGone)) throw error;
      if (tries === LISTS_MAX) throw new ReplicaDamage(error.message);
    }
  }
}

/** Returns an object that was listed. */
async function listed(storage: ReplicaStorage, name: string): Promise<Uint8Array> {
  const bytes = await storage.read(name);
  if (bytes !== null) return bytes;
  throw new ObjectGone(`The object ${name} is listed, but cannot be read.`);
}

/** Reads what a replica has. Null if there is no replica at this place. Throws `ReplicaDamage`. */
export async function readReplica(storage: ReplicaStorage): Promise<ReplicaContent | null> {
  const identity = await storage.read("identity.json");
  const { database } = identity === null ? { database: null } : parsed(IdentityFile, identity, "identity.json");
  const chains = await listingAgain(() => readChains(storage));
  if (database === null) {
    if (chains.length === 0) return null;
    throw new ReplicaDamage("identity.json is missing, which says of which database this replica is.");
  }
  for (const { name, file } of chains) {
    if (file.database !== database)
      throw new ReplicaDamage(`The chain ${name} is of another database than the replica.`);
  }
  return { database, chains };
}

async function readChains(storage: ReplicaStorage): Promise<Chain[]> {
  const names = (await storage.list("chains/")).map(({ name }) => name);
  const chains: Chain[] = [];
  for (const path of names) {
    const [, name = ""] = /^chains\/(\d{6}-[0-9a-f]{8})\/chain\.json$/.exec(path) ?? [];
    if (name === "") continue;
    const file = parsed(ChainFile, await listed(storage, path), path);
    const snapshots: Snapshot[] = [];
    for (const of of names) {
      if (!of.startsWith(`chains/${name}/snapshots/`) || !of.endsWith("/snapshot.json")) continue;
      const snapshot = parsed(SnapshotFile, await listed(storage, of), of);
      if (snapshot.pageSize !== file.pageSize)
        throw new ReplicaDamage(`${of} has pages of another size than its chain.`);
      snapshots.push({ folder: of.slice(0, -"snapshot.json".length), file: snapshot });
    }
    chains.push({
      name,
      file,
      snapshots: snapshots.toSorted((one, other) => one.file.least.record - other.file.least.record),
    });
  }
  return chains.toSorted((one, other) => (one.name < other.name ? -1 : 1));
}

/**
 * Reads the records of a chain from the beginning of a volume to the end, and checks their links. It holds one volume in
 * memory. Throws `ReplicaDamage` at the first fault, after all records before it.
 */
export async function* recordsFrom(
  storage: ReplicaStorage,
  chain: Chain,
  first: number,
): AsyncGenerator<LogRecord, void, undefined> {
  let before: LogRecord | null | undefined = first === 1 ? null : undefined;
  for (let volume = first; ; volume++) {
    const found = await listingAgain(() => readVolume(storage, chain, volume));
    if (found === null) return;
    try {
      for (const record of readRecords(found.bytes, before)) {
        yield record;
        before = record;
      }
    } catch (error) {
      if (!(error instanceof ReplicaDamage)) throw error;
      throw new ReplicaDamage(`Volume ${volume} of the chain ${chain.name} is damaged. ${error.message}`, {
        cause: error,
      });
    }
    if (found.problem !== null) throw new ReplicaDamage(found.problem);
  }
}

/** The number of the volume, its writer, and the number of the piece. */
const OBJECT = /\/log\/(\d{8})-([0-9a-f]{8})(?:\.(\d{8}))?$/;

/** A volume, or its beginning: `problem` then says why there is no more of it. */
interface Volume {
  bytes: Uint8Array;
  problem: string | null;
}

/** Returns a volume, whole or of its pieces; null behind the last one. */
async function readVolume(storage: ReplicaStorage, { name }: Chain, volume: number): Promise<Volume | null> {
  const folder = `chains/${name}/log/`;
  const found = (await storage.list(`${folder}${digits(volume)}-`)).map((object) => object.name);
  if (found.length === 0) {
    const last = (await storage.list(folder)).map((object) => Number(OBJECT.exec(object.name)?.[1] ?? 0)).at(-1) ?? 0;
    if (last > volume) throw new ReplicaDamage(`Volume ${volume} of the chain ${name} is missing.`);
    return null;
  }
  const writers = new Set(found.map((path) => OBJECT.exec(path)?.[2]));
  if (writers.size > 1)
    throw new ReplicaDamage(
      `Two servers wrote volume ${volume} of the chain ${name} at the same time, so nothing from it on can be trusted.`,
    );
  const whole = found.find((path) => OBJECT.exec(path)?.[3] === undefined);
  if (whole !== undefined) return { bytes: await listed(storage, whole), problem: null };
  const pieces: Uint8Array[] = [];
  for (const [at, path] of found.entries()) {
    if (Number(OBJECT.exec(path)?.[3]) !== at + 1) {
      const problem = `Piece ${at + 1} of volume ${volume} of the chain ${name} is missing.`;
      return { bytes: Buffer.concat(pieces), problem };
    }
    pieces.push(await listed(storage, path));
  }
  return { bytes: Buffer.concat(pieces), problem: null };
}

const digits = (volume: number): string => String(volume).padStart(8, "0");

/** Returns the number of the last volume of a chain; 0 if it has none. */
export async function lastVolume(storage: ReplicaStorage, { name }: Chain): Promise<number> {
  const found = await storage.list(`chains/${name}/log/`);
  return Number(OBJECT.exec(found.at(-1)?.name ?? "")?.[1] ?? 0);
}
