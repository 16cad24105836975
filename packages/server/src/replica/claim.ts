import { hostname } from "node:os";
import type { Clock } from "../clock.ts";
import { type ChainFile, FORMAT, IdentityFile, parsed, WriterFile } from "./format.ts";
import type { Spooled } from "./spool.ts";
import type { ReplicaStorage } from "./storage.ts";

/** The replica cannot be written by this server until somebody does something about it. */
export class ReplicaRefusal extends Error {
  readonly state: "foreign" | "displaced";
  constructor(state: "foreign" | "displaced", message: string) {
    super(message);
    this.state = state;
  }
}

/** Compares the replica's identity with the database's, and writes it into an empty replica. */
async function checkIdentity(storage: ReplicaStorage, database: string): Promise<void> {
  const found = await storage.read("identity.json");
  if (found === null) {
    if ((await storage.list("chains/")).length > 0)
      throw new ReplicaRefusal("foreign", `${storage.place} has chains, but no identity.json: it is damaged.`);
    return storage.write("identity.json", jsonOf({ format: FORMAT, database } satisfies IdentityFile));
  }
  if (parsed(IdentityFile, found, "identity.json").database === database) return;
  throw new ReplicaRefusal(
    "foreign",
    `${storage.place} is the replica of another database. Restore that one from it, or set PARLEY_REPLICA to an empty place.`,
  );
}

/**
 * Makes this server the replica's writer. Returns why the chain in the spool must not go on; null: it may. Somebody else
 * may have written since: another server, or this one, before its machine was set back to an older state.
 */
async function claimWriter(
  { storage, writer, writers }: Claimant,
  spooled: SpooledVolumes | null,
  now: number,
): Promise<string | null> {
  const last = await readWriter(storage);
  await storage.write(
    "writer.json",
    jsonOf({ format: FORMAT, writer, at: now, host: hostname() } satisfies WriterFile),
  );
  if (spooled === null) return null;
  if (last === null) return "the replica has lost its objects";
  if (!writers.includes(last.writer)) return `another server (${last.host}) has written to the replica`;
  const ours = new Map(spooled.volumes.map(({ name, bytes }) => [name, bytes]));
  const newest = Math.max(...spooled.volumes.map(({ volume }) => volume));
  for (const [volume, bytes] of await volumesOf(storage, spooled.chain)) {
    if (Number(volume.slice(0, 8)) > newest || bytes > (ours.get(volume) ?? Number.POSITIVE_INFINITY))
      return "the replica has newer records than this machine";
  }
  return null;
}

/** Returns the lengths of a chain's volumes in the replica, by their names. */
async function volumesOf(storage: ReplicaStorage, chain: string): Promise<Map<string, number>> {
  const log = `chains/${chain}/log/`;
  const found = new Map<string, number>();
  const whole = new Set<string>();
  for (const { name, bytes } of await storage.list(log)) {
    const [volume = "", piece] = name.slice(log.length).split(".");
    // A whole volume comes before its pieces, which are then not needed.
    if (piece === undefined) whole.add(volume);
    else if (whole.has(volume)) continue;
    found.set(volume, (found.get(volume) ?? 0) + bytes);
  }
  return found;
}

/** Throws if another server has begun to write here. */
async function checkWriter(storage: ReplicaStorage, writer: string): Promise<void> {
  const found = await readWriter(storage);
  if (found?.writer === writer) return;
  if (found === null) throw new Error(`${storage.place} has lost its objects. Is its disk mounted?`);
  throw new ReplicaRefusal(
    "displaced",
    `A server on ${found.host} has taken over the replica ${storage.place}. Two servers must not have one replica; this one writes there again after its next start.`,
  );
}

async function readWriter(storage: ReplicaStorage): Promise<WriterFile | null> {
  const found = await storage.read("writer.json");
  return found === null ? null : parsed(WriterFile, found, "writer.json");
}

interface SpooledVolumes {
  chain: string;
  /** The volumes that former servers wrote; none if this server began the chain. */
  volumes: readonly Spooled[];
}

export interface Claimant {
  storage: ReplicaStorage;
  clock: Clock;
  /** The database's identity. */
  database: string;
  writer: string;
  /** All servers that have written from this spool, this one included. */
  writers: readonly string[];
}

const CHECK_MS = 10_000;
/** By then, a server that was displaced has noticed it, and its last objects are there. */
const FORK_CHECK_MS = 3 * CHECK_MS;

/** This server's right to write to the replica. */
export class Claim {
  readonly #claimant: Claimant;
  #checkedAt: number | undefined;
  #forkCheckAt = Number.POSITIVE_INFINITY;

  constructor(claimant: Claimant) {
    this.#claimant = claimant;
  }

  get isHeld(): boolean {
    return this.#checkedAt !== undefined;
  }

  /**
   * Becomes the replica's writer, and looks from time to time whether it still is. Returns why the chain must not go on;
   * null: it may. Throws a `ReplicaRefusal` if this server must not write here, and the error of the storage.
   */
  async hold(spooled: SpooledVolumes | null): Promise<string | null> {
    const { storage, clock, database, writer } = this.#claimant;
    const now = clock.monotonic();
    if (this.#checkedAt !== undefined && now < this.#checkedAt + CHECK_MS) return null;
    let reason: string | null = null;
    if (this.#checkedAt === undefined) {
      await checkIdentity(storage, database);
      reason = await claimWriter(this.#claimant, spooled, clock.now());
      if (spooled !== null) this.#forkCheckAt = now + FORK_CHECK_MS;
    } else {
      await checkWriter(storage, writer);
      if (now >= this.#forkCheckAt) reason = await this.#findFork(spooled);
    }
    this.#checkedAt = now;
    return reason;
  }

  /** Another server may have gone on with the same chain until it noticed this one. */
  async #findFork(spooled: SpooledVolumes | null): Promise<string | null> {
    const { storage, writer } = this.#claimant;
    if (spooled !== null) {
      const names = [...(await volumesOf(storage, spooled.chain)).keys()];
      const first = names.find((name) => name.endsWith(writer)) ?? "";
      if (names.some((name) => name.slice(0, 8) >= first.slice(0, 8) && !name.endsWith(writer)))
        return "another server has written to the same chain";
    }
    this.#forkCheckAt = Number.POSITIVE_INFINITY;
    return null;
  }
}

/** Writes the first object of a new chain, with the next number, and returns its name. */
export async function createChain(
  storage: ReplicaStorage,
  facts: Omit<ChainFile, "format">,
  id: string,
): Promise<string> {
  const numbers = (await storage.list("chains/")).map(({ name }) => Number(name.slice(7, 13)));
  const number = numbers.reduce((highest, one) => Math.max(highest, one), 0) + 1;
  const chain = `${String(number).padStart(6, "0")}-${id}`;
  await storage.write(`chains/${chain}/chain.json`, jsonOf({ format: FORMAT, ...facts } satisfies ChainFile));
  return chain;
}

export const jsonOf = (value: object): Uint8Array => Buffer.from(JSON.stringify(value));
