import { createHash } from "node:crypto";
import { zstdDecompressSync } from "node:zlib";
import { type Static, type TSchema, Type } from "typebox";
import { Check } from "typebox/value";

/**
 * What is in a replica (`PARLEY_REPLICA`): the log of the SQLite database, and snapshots to which it is applied.
 *
 *     identity.json                                   the database that this replica is of
 *     writer.json                                     the server that writes here now
 *     chains/<chain>/chain.json                       begins a chain: an unbroken run of the log
 *     chains/<chain>/log/<volume>-<writer>            a complete volume: records, one after the other
 *     chains/<chain>/log/<volume>-<writer>.<piece>    a piece of a volume that is not complete yet, or was not merged
 *     chains/<chain>/snapshots/<number>/pages-<part>  pages of the database's file
 *     chains/<chain>/snapshots/<number>/snapshot.json written last: without it, the snapshot does not exist
 *
 * **Objects** appear whole or not at all, have at most `OBJECT_BYTES_MAX` bytes, and never change, except `writer.json`.
 * Retention and merging remove objects at any time: if a listed object is gone, list again.
 *
 * **Chains** are independent of each other. `<chain>` is a number of six digits, a hyphen, and eight hex digits. A later
 * chain has a higher number. A new one begins whenever the log cannot be followed without a gap: after a restore, after
 * the replica was away for too long, when the clock was set back. Within a chain, times never decrease; the times of
 * two chains may overlap after a clock was set back, and then the higher number is the truth. A chain can be restored
 * only if it has a snapshot.
 *
 * **Volumes** have eight digits and begin at 1, without gaps; retention removes the oldest. `<writer>` is eight hex
 * digits, chosen at each start of a
 * server, which begins a new volume. Two volumes of one number by different writers prove that two servers wrote at
 * once: nothing in this chain from that number on can be trusted. The pieces of a volume have eight digits and begin at
 * 1, without gaps. The volume is the concatenation of its pieces, byte for byte. If it exists, ignore its pieces.
 *
 * **Records** are numbered through the whole chain, without gaps, and each names the hash of its predecessor: a missing,
 * swapped, repeated or altered one cannot be accepted. A record is a line of JSON (`RecordHead`), a line feed, and
 * `head.bytes` bytes of body (0 if there is no such field). The chain may end at any record, because the server may
 * have been killed: whatever follows the last `frames` record with `commit: true` is not applied.
 *
 * **To restore to the time T**: take the newest snapshot of the chain with `least.at <= T`; write its pages; apply the
 * frames of all records from number `start.record` on, in order, each page to its place, up to the last
 * commit with `at <= T`, and at least up to `least.record`; cut the file to `pages` of that commit. The result is wrong
 * below `least.record`, even if SQLite finds no fault.
 */
export const FORMAT = 1;
/** No object is longer. */
export const OBJECT_BYTES_MAX = 8 * 1024 * 1024;
/** Uncompressed frames of one record, at most. */
export const BODY_BYTES_MAX = 1024 * 1024;
/** Uncompressed pages of one part of a snapshot, at most. */
export const PART_BYTES = 4 * 1024 * 1024;
/** The line of a record's head, with its line feed, at most. */
export const HEAD_BYTES_MAX = 2_048;
/** A volume is complete when it has this many bytes, or when its server stops. */
export const VOLUME_BYTES = 4 * 1024 * 1024;
export const WAL_HEADER_BYTES = 32;
export const FRAME_HEADER_BYTES = 24;
/** `previous` of the first record of a chain. */
export const NO_HASH = "0".repeat(64);

const Hash = Type.String({ pattern: "^[0-9a-f]{64}$" });
const Count = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });
const Time = Type.Integer({ minimum: 0, maximum: 8.64e15 });
const Word = Type.Integer({ minimum: 0, maximum: 0xffff_ffff });
const Sum = Type.Tuple([Word, Word]);
/** A modification time in nanoseconds, and a length. */
const DatabaseFile = Type.Object({ modified: Type.String({ pattern: "^\\d{1,20}$" }), bytes: Count });
const PageSize = Type.Integer({ minimum: 512, maximum: 65_536 });
const Writer = Type.String({ pattern: "^[0-9a-f]{8}$" });
const common = {
  /** The number of the record in the chain, from 1. */
  n: Count,
  /** The hash of record n-1; `NO_HASH` in the first. */
  previous: Hash,
  /** Epoch milliseconds. Never lower than that of the record before. */
  at: Time,
};

/** A line of a volume. All commits of a tick (about 200 ms) have one `at`: the time at which they were copied. */
export const RecordHead = Type.Union([
  /** Begins a volume, and repeats what the records before it said, for a server that goes on with the chain. */
  Type.Object({
    ...common,
    type: Type.Literal("volume"),
    volume: Count,
    writer: Writer,
    epoch: Type.String(),
    /** The current segment (0: none has begun), the record that began it, and that record's volume. */
    segment: Count,
    start: Type.Object({ volume: Count, record: Count }),
    /** The header of its log (empty: none), its newest frame, the checksum there, and the file if it is sealed. */
    header: Type.String({ pattern: "^([0-9a-f]{64})?$" }),
    frame: Count,
    sum: Sum,
    sealed: Type.Union([Type.Null(), DatabaseFile]),
  }),
  /** Begins a segment: SQLite's log began from its start. */
  Type.Object({
    ...common,
    type: Type.Literal("segment"),
    /** From 1. */
    segment: Count,
    /** The 32 bytes of the log's header, in hex. Its last 8 bytes begin the chain of checksums. */
    header: Type.String({ pattern: "^[0-9a-f]{64}$" }),
    /** The number of frames in the segment before; 0 in the first one. */
    before: Count,
  }),
  /** Frames of the segment that began last, as they are in SQLite's log: a header of 24 bytes and a page each. */
  Type.Object({
    ...common,
    type: Type.Literal("frames"),
    segment: Count,
    /** The first frame's place in the segment, from 1: one more than the last frame of the record before. */
    first: Count,
    frames: Count,
    /** True: the last frame commits. False: the transaction goes on in the next record. */
    commit: Type.Boolean(),
    /** Pages of the database after the commit; 0 if `commit` is false. */
    pages: Count,
    /** The log's running checksum after the last frame (`walChecksum`). */
    sum: Sum,
    /** Length of the body, which is compressed with zstd, and its SHA-256. */
    bytes: Count,
    sha256: Hash,
  }),
  /** All frames of the segment are in the records before, and in the database's file. */
  Type.Object({
    ...common,
    type: Type.Literal("sealed"),
    segment: Count,
    frames: Count,
    /** The database's file at that moment. */
    file: DatabaseFile,
  }),
]);
export type RecordHead = Static<typeof RecordHead>;

/** `chain.json`. */
export const ChainFile = Type.Object({
  format: Type.Literal(FORMAT),
  /** The database's identity: `replica_database` in its table `meta`, which a restore keeps. */
  database: Type.String({ pattern: "^[0-9a-f]{32}$" }),
  /** The epoch of the data, which a restore changes. */
  epoch: Type.String(),
  pageSize: PageSize,
  writer: Writer,
  at: Time,
  /** Why it began, in words. */
  reason: Type.String(),
});
export type ChainFile = Static<typeof ChainFile>;

/** `snapshot.json`. */
export const SnapshotFile = Type.Object({
  format: Type.Literal(FORMAT),
  pageSize: PageSize,
  /** When the copy began and ended. Copied while the server wrote: the pages alone are no database. */
  began: Time,
  at: Time,
  /** Where replay begins: a `segment` record, and the volume that contains it. */
  start: Type.Object({ volume: Count, record: Count, segment: Count }),
  /** The least position to restore to: a commit (or a record after it), and its time. */
  least: Type.Object({ record: Count, at: Time }),
  /** Part k (from 1) has the pages after those of part k-1, compressed with zstd. */
  parts: Type.Array(Type.Object({ pages: Count, bytes: Count, sha256: Hash })),
});
export type SnapshotFile = Static<typeof SnapshotFile>;

/** `identity.json`. */
export const IdentityFile = Type.Object({ format: Type.Literal(FORMAT), database: ChainFile.properties.database });
export type IdentityFile = Static<typeof IdentityFile>;

/** `writer.json`: the server that began last. Another one that finds it changed stops writing. */
export const WriterFile = Type.Object({ format: Type.Literal(FORMAT), writer: Writer, at: Time, host: Type.String() });
export type WriterFile = Static<typeof WriterFile>;

/** A part of the replica is malformed, missing or altered. The message says which, for operators. */
export class ReplicaDamage extends Error {
  override readonly name = "ReplicaDamage";
}

export interface LogRecord {
  head: RecordHead;
  /** The hash that the next record must have as `previous`. */
  hash: string;
  /** Compressed; see `bodyOf`. */
  body: Uint8Array;
  /** The offset behind the record in the bytes that were read. */
  end: number;
}

/**
 * Reads records, and checks each one's form, body and link to its predecessor. `before`: the record in front of these
 * bytes; null: these are the first of a chain; undefined: unknown, so the first link is not checked. Throws
 * `ReplicaDamage` at the first fault, also if the last record is cut off.
 */
export function* readRecords(
  bytes: Uint8Array,
  before?: Pick<LogRecord, "head" | "hash"> | null,
): Generator<LogRecord, void, undefined> {
  let last = before;
  for (let from = 0; from < bytes.length; ) {
    const line = bytes.subarray(from, from + HEAD_BYTES_MAX).indexOf(10);
    if (line === -1) throw new ReplicaDamage("A record is cut off.");
    const text = bytes.subarray(from, from + line);
    const head = parsed(RecordHead, text, "A record");
    const start = from + line + 1;
    const end = start + ("bytes" in head ? head.bytes : 0);
    if (end > bytes.length) throw new ReplicaDamage(`Record ${head.n} is cut off.`);
    const body = bytes.subarray(start, end);
    if ("sha256" in head && sha256(body) !== head.sha256) throw new ReplicaDamage(`Record ${head.n} was altered.`);
    if (last !== undefined) checkLink(last, head);
    last = { head, hash: sha256(text) };
    yield { ...last, body, end };
    from = end;
  }
}

function checkLink(before: Pick<LogRecord, "head" | "hash"> | null, head: RecordHead): void {
  const n = (before?.head.n ?? 0) + 1;
  if (head.n !== n) throw new ReplicaDamage(`Record ${head.n} is where record ${n} must be.`);
  if (head.previous !== (before?.hash ?? NO_HASH)) throw new ReplicaDamage(`Record ${n} has another predecessor.`);
  if (head.at < (before?.head.at ?? 0)) throw new ReplicaDamage(`Record ${n} is older than its predecessor.`);
}

/** Returns the decompressed body of a `frames` record or a part; throws `ReplicaDamage` unless it has that length. */
export function bodyOf(stored: Uint8Array, length: number): Uint8Array {
  try {
    const body = zstdDecompressSync(stored, { maxOutputLength: PART_BYTES });
    if (body.length === length) return body;
  } catch (error) {
    throw new ReplicaDamage("A body cannot be decompressed.", { cause: error });
  }
  throw new ReplicaDamage("A body has another length than its head says.");
}

/** Parses a file of JSON of the replica; throws `ReplicaDamage` that begins with `what` unless it has that form. */
export function parsed<Schema extends TSchema>(schema: Schema, bytes: Uint8Array, what: string): Static<Schema> {
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(bytes).toString());
  } catch (error) {
    throw new ReplicaDamage(`${what} is no JSON.`, { cause: error });
  }
  if (Check(schema, value)) return value;
  throw new ReplicaDamage(`${what} does not have the form of format ${FORMAT}.`);
}

export const sha256 = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

/**
 * Continues SQLite's checksum of a log over bytes whose number is a multiple of 8. It covers the first 24 bytes of the
 * header (from 0, 0), then the first 8 bytes of each frame's header and its page. `bigEndian`: the last bit of the
 * header's magic number. It names nothing outside itself, because a thread gets it as a text.
 */
export function walChecksum(bytes: Uint8Array, bigEndian: boolean, sum: readonly [number, number]): [number, number] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let [one, two] = sum;
  for (let at = 0; at < bytes.length; at += 8) {
    one = (one + view.getUint32(at, !bigEndian) + two) >>> 0;
    two = (two + view.getUint32(at + 4, !bigEndian) + one) >>> 0;
  }
  return [one, two];
}
