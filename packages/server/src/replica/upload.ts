import { join } from "node:path";
import { pause } from "../base/timers.ts";
import type { SpoolVolume } from "./chain-log.ts";
import type { Failures } from "./failures.ts";
import { NOT_MERGED, RETRY_MS, TICK_MS } from "./options.ts";
import type { Spool, Spooled } from "./spool.ts";
import type { ReplicaStorage } from "./storage.ts";

interface Upload extends Spooled {
  /** Bytes that the replica has, in pieces. */
  sent: number;
  pieces: number;
  /** A former server wrote it: its pieces are unknown. */
  isFormer: boolean;
  /** The replica has it as a whole. */
  isWhole: boolean;
}

/** The newest record at some time. */
export interface Mark {
  record: number;
  at: number;
}

const REMOVED_AT_ONCE = 16;

export const volumeName = (volume: number, writer: string): string => `${String(volume).padStart(8, "0")}-${writer}`;
export const pieceName = (name: string, piece: number): string => `${name}.${String(piece).padStart(8, "0")}`;

/**
 * Sends the volumes of one chain from the spool to the replica, in pieces, and merges the pieces of a complete volume.
 * `next` never waits for `tidy`: a volume takes seconds on a slow line, and what was just copied must be there by then.
 */
export class Uploads {
  readonly chain: string;
  readonly #storage: ReplicaStorage;
  readonly #spool: Spool;
  readonly #writer: string;
  /** By their numbers. All but the last are complete. */
  readonly #volumes: Upload[];
  /** Pieces of volumes that are there as a whole. */
  readonly #needless: string[] = [];
  /** `waiting`: what must be sent before the replica is as far as that. */
  readonly #marks: (Mark & { waiting: number })[] = [];
  #covered: Mark | null = null;

  constructor(chain: string, parts: { storage: ReplicaStorage; spool: Spool; writer: string }, former: Spooled[]) {
    this.chain = chain;
    this.#storage = parts.storage;
    this.#spool = parts.spool;
    this.#writer = parts.writer;
    this.#volumes = former.map((volume) => ({ ...volume, sent: 0, pieces: 0, isFormer: true, isWhole: false }));
  }

  /** Notes what the thread has added to the spool. `mark` becomes `covered` when the replica has all of it. */
  add(volumes: readonly SpoolVolume[], mark: Mark): void {
    for (const { volume, bytes } of volumes) {
      const known = this.#volumes.find((one) => one.volume === volume);
      if (known !== undefined) known.bytes = bytes;
      else
        this.#volumes.push({
          name: volumeName(volume, this.#writer),
          volume,
          bytes,
          sent: 0,
          pieces: 0,
          isFormer: false,
          isWhole: false,
        });
    }
    this.#marks.push({ ...mark, waiting: this.waiting });
    this.#cover();
  }

  /** How far the replica is; null: it does not have all that former servers copied. */
  get covered(): Mark | null {
    return this.#covered;
  }

  #cover(sent = 0): void {
    for (const mark of this.#marks) mark.waiting -= sent;
    while (this.#marks[0] !== undefined && this.#marks[0].waiting <= 0) this.#covered = this.#marks.shift() ?? null;
  }

  /** The volumes that former servers wrote. */
  get former(): readonly Spooled[] {
    return this.#volumes.filter(({ isFormer }) => isFormer);
  }

  /** Bytes that the replica does not have yet. */
  get waiting(): number {
    return this.#volumes.reduce((sum, { bytes, sent }) => sum + bytes - sent, 0);
  }

  /** Bytes in the spool. */
  get spooled(): number {
    return this.#volumes.reduce((sum, { bytes }) => sum + bytes, 0);
  }

  /** Sends one object: the oldest part that the replica does not have. Returns false if nothing waits. */
  async next(): Promise<boolean> {
    const volume = this.#volumes.find((one) => one.bytes > one.sent);
    if (volume === undefined) return false;
    const { name, bytes, sent, pieces } = volume;
    if (volume.isFormer || (sent === 0 && volume !== this.#volumes.at(-1))) {
      await this.#sendWhole(volume);
      return true;
    }
    await this.#storage.write(this.#nameOf(pieceName(name, pieces + 1)), this.#fileOf(volume).slice(sent, bytes));
    volume.pieces += 1;
    volume.sent = bytes;
    this.#cover(bytes - sent);
    return true;
  }

  /**
   * Merges the pieces of the oldest volume if it is complete, and frees its place in the spool, or removes some pieces of
   * such volumes. Returns false if there is nothing to do. The newest volume stays in the spool.
   */
  async tidy(): Promise<boolean> {
    const [volume, next] = this.#volumes;
    if (volume === undefined || next === undefined || volume.sent < volume.bytes) return this.#removePieces();
    if (!volume.isWhole) await this.#sendWhole(volume);
    this.#volumes.shift();
    this.#spool.remove(this.chain, volume.name);
    return true;
  }

  /** Writes a complete volume; then its pieces are not needed any more. */
  async #sendWhole(volume: Upload): Promise<void> {
    const { name, bytes, sent, pieces, isFormer } = volume;
    await this.#storage.write(this.#nameOf(name), this.#fileOf(volume));
    const found = isFormer ? await this.#storage.list(this.#nameOf(`${name}.`)) : [];
    this.#needless.push(...found.map((piece) => piece.name));
    for (let piece = 1; piece <= pieces; piece += 1) this.#needless.push(this.#nameOf(pieceName(name, piece)));
    Object.assign(volume, { sent: bytes, isFormer: false, isWhole: true });
    this.#cover(bytes - sent);
  }

  async #removePieces(): Promise<boolean> {
    const some = this.#needless.slice(0, REMOVED_AT_ONCE);
    await Promise.all(some.map((name) => this.#storage.remove(name)));
    this.#needless.splice(0, some.length);
    return some.length > 0;
  }

  #fileOf({ name }: Spooled): Blob {
    return Bun.file(join(this.#spool.folderOf(this.chain), name));
  }

  #nameOf(name: string): string {
    return `chains/${this.chain}/log/${name}`;
  }
}

interface Owner {
  /** Undefined while there is no chain. */
  readonly uploads: Uploads | undefined;
  readonly isReady: boolean;
  readonly failures: Failures;
}

/** Tidies beside the uploads, which never wait for it. */
export async function keepTidy(replica: Owner, isRunning: () => boolean): Promise<void> {
  while (isRunning()) {
    const { uploads } = replica;
    try {
      const isMore = replica.isReady && (await uploads?.tidy()) === true;
      replica.failures.succeeded(NOT_MERGED);
      if (!isMore) await pause(TICK_MS);
    } catch (error) {
      if (uploads !== replica.uploads) continue; // its chain was left, and its files are gone
      replica.failures.failed(error, NOT_MERGED);
      await pause(RETRY_MS);
    }
  }
}
