import {
  bodyOf,
  FRAME_HEADER_BYTES,
  type LogRecord,
  type RecordHead,
  ReplicaDamage,
  WAL_HEADER_BYTES,
  walChecksum,
} from "../replica/format.ts";

type Head<Type> = Extract<RecordHead, { type: Type }>;

/** Receives a page, by its number from 1. The bytes are valid only during the call. */
export type WritePage = (page: number, bytes: Uint8Array) => void;

/** The magic number of a log whose checksums count big-endian words. */
const BIG_ENDIAN = 0x377f0683;
const LITTLE_ENDIAN = 0x377f0682;

/**
 * Follows the segments of a chain, and checks what SQLite itself would accept in silence: that each segment goes on where
 * the one before ended, that no frame is missing or of another segment, and the chain of checksums.
 */
export class Segments {
  readonly #pageSize: number;
  #number = 0;
  #frames = 0;
  #bigEndian = false;
  #salts: Uint8Array = new Uint8Array();
  #sum: [number, number] = [0, 0];

  constructor(pageSize: number) {
    this.#pageSize = pageSize;
  }

  /** Begins a segment. Throws `ReplicaDamage` if it does not follow the one before. */
  begin({ segment, header, before, n }: Head<"segment">): void {
    if (this.#number > 0 && (segment !== this.#number + 1 || before !== this.#frames))
      throw new ReplicaDamage(
        `Segment ${segment} follows ${before} frames of segment ${segment - 1}, but ${this.#frames} frames of segment ${this.#number} are there.`,
      );
    const bytes = Buffer.from(header, "hex");
    const magic = bytes.readUInt32BE(0);
    this.#bigEndian = magic === BIG_ENDIAN;
    const sum = walChecksum(bytes.subarray(0, WAL_HEADER_BYTES - 8), this.#bigEndian, [0, 0]);
    const isWhole =
      (this.#bigEndian || magic === LITTLE_ENDIAN) &&
      bytes.readUInt32BE(8) % 65_536 === this.#pageSize % 65_536 &&
      sum[0] === bytes.readUInt32BE(24) &&
      sum[1] === bytes.readUInt32BE(28);
    if (!isWhole) throw new ReplicaDamage(`Record ${n} does not have the header of a log of this database.`);
    this.#salts = bytes.subarray(16, 24);
    this.#sum = sum;
    this.#number = segment;
    this.#frames = 0;
  }

  /** Checks the end of a segment. */
  seal({ segment, frames, n }: Head<"sealed">): void {
    if (segment === this.#number && frames === this.#frames) return;
    throw new ReplicaDamage(`Record ${n} seals ${frames} frames of segment ${segment}, but ${this.#frames} are there.`);
  }

  /**
   * Checks the frames of a record, in memory, and returns a function that writes their pages. Nothing is written before
   * all of them are checked.
   */
  frames({ head, body }: Pick<LogRecord, "body"> & { head: Head<"frames"> }): (write: WritePage) => void {
    const { n, segment, first, frames } = head;
    if (segment !== this.#number || first !== this.#frames + 1)
      throw new ReplicaDamage(
        `Record ${n} has frame ${first} of segment ${segment} where frame ${this.#frames + 1} of segment ${this.#number} must be.`,
      );
    const length = FRAME_HEADER_BYTES + this.#pageSize;
    const bytes = Buffer.from(bodyOf(body, frames * length));
    let size = 0;
    for (let from = 0; from < bytes.length; from += length) {
      if (!bytes.subarray(from + 8, from + 16).equals(this.#salts))
        throw new ReplicaDamage(`Record ${n} has a frame of another log.`);
      const started = walChecksum(bytes.subarray(from, from + 8), this.#bigEndian, this.#sum);
      this.#sum = walChecksum(bytes.subarray(from + FRAME_HEADER_BYTES, from + length), this.#bigEndian, started);
      if (this.#sum[0] !== bytes.readUInt32BE(from + 16) || this.#sum[1] !== bytes.readUInt32BE(from + 20))
        throw new ReplicaDamage(`Record ${n} has a frame with a wrong checksum.`);
      size = bytes.readUInt32BE(from + 4);
    }
    if (this.#sum[0] !== head.sum[0] || this.#sum[1] !== head.sum[1] || size !== head.pages)
      throw new ReplicaDamage(`Record ${n} ends with another frame than its head says.`);
    this.#frames += frames;
    return (write) => {
      for (let from = 0; from < bytes.length; from += length)
        write(bytes.readUInt32BE(from), bytes.subarray(from + FRAME_HEADER_BYTES, from + length));
    };
  }
}
