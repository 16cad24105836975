import { join } from "node:path";
import type { SpoolVolume } from "./chain-log.ts";
import type { Spool, Spooled } from "./spool.ts";
import type { ReplicaStorage } from "./storage.ts";

interface Upload extends Spooled {
  /** Bytes that the replica has, in pieces. */
  sent: number;
  pieces: number;
  /** A former server wrote it: its pieces are unknown. */
  isFormer: boolean;
}

/** The newest record at some time. */
export interface Mark {
  record: number;
  at: number;
}

const REMOVED_AT_ONCE = 16;

export const volumeName = (volume: number, writer: string): string => `${String(volume).padStart(8, "0")}-${writer}`;
export const pieceName = (name: string, piece: number): string => `${name}.${String(piece).padStart(8, "0")}`;

/** Sends the volumes of one chain from the spool to the replica: the open one in pieces, a complete one as a whole. */
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
    this.#volumes = former.map((volume) => ({ ...volume, sent: 0, pieces: 0, isFormer: true }));
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

  /** Sends one object or, if nothing waits, removes pieces. Returns true if there may be more to do. */
  async next(): Promise<boolean> {
    const [volume] = this.#volumes;
    if (volume === undefined) return false;
    if (this.#volumes.length > 1 || volume.isFormer) {
      await this.#complete(volume);
      return true;
    }
    const { name, bytes, sent, pieces } = volume;
    if (bytes === sent) return this.#removePieces();
    await this.#storage.write(this.#nameOf(pieceName(name, pieces + 1)), this.#fileOf(volume).slice(sent, bytes));
    volume.pieces += 1;
    volume.sent = bytes;
    this.#cover(bytes - sent);
    return true;
  }

  /** Writes a volume as a whole; then its pieces are not needed any more. The newest one stays in the spool. */
  async #complete(volume: Upload): Promise<void> {
    await this.#storage.write(this.#nameOf(volume.name), this.#fileOf(volume));
    this.#cover(volume.bytes - volume.sent);
    volume.sent = volume.bytes;
    if (volume.isFormer) {
      const found = await this.#storage.list(this.#nameOf(`${volume.name}.`));
      this.#needless.push(...found.map(({ name }) => name));
    }
    for (let piece = 1; piece <= volume.pieces; piece += 1)
      this.#needless.push(this.#nameOf(pieceName(volume.name, piece)));
    volume.isFormer = false;
    if (this.#volumes.length === 1) return;
    this.#volumes.shift();
    this.#spool.remove(this.chain, volume.name);
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
