import type { BrokerMessage, BrokerRecord, BrokerRoot } from "./broker.ts";

/**
 * The format of what nodes send each other over Redis: text, because Bun's client passes on nothing else.
 *
 * `1 <node> <count>\n`, a header line per event, then the texts of all events without separators. Header lines are
 * `<event> <seq or -> <length of the frame> [<message id> <its seq> <flags> <length of its record> [<root id> <its
 * thread in base64>]]`; lengths are in UTF-16 units. A frame that ends with its message's record is sent without it. `<event> <seq>` alone is an event
 * that is too large for the bus: the database has it. A later version of the format may change everything after the
 * version and the node.
 */
const VERSION = "1";
/** An event larger than this, in bytes, is read from the database by each node that needs it. */
const EVENT_MAX = 64 * 1024;
/** A parcel that reaches this size, in bytes, is sent, and another one begun. */
const PARCEL_MAX = 256 * 1024;
/** Checked before memory is taken for the header lines. */
const COUNT_MAX = PARCEL_MAX;

/** The usual length of a header line. */
const HEAD_BYTES = 40;

/** Flags of a record. */
const INSIDE = 1;
const KNOWS_REACTED = 2;
const REACTED = 4;
const THREADED = 8;
const HIDDEN = 16;
const FEATURED = 32;
/** Ends a frame after its message's record. */
const AFTER_RECORD = "}}";

/** Events that another node sent. */
export interface Parcel {
  /** The id of the node. */
  node: string;
  messages: BrokerMessage[];
  /** The highest seq of an event that is in the database only; 0: there is none. */
  absent: number;
  /** True if this version cannot read the contents: the node is newer. */
  isStrange?: boolean;
}

/** Returns the beginning of a node's parcels, by which it recognizes its own echoes without parsing. */
export const parcelStart = (node: string): string => `${VERSION} ${node} `;

/** Packs messages of one topic, in order. `start` is the node's `parcelStart`. */
export function packParcels(start: string, messages: readonly BrokerMessage[]): string[] {
  const parcels: string[] = [];
  let [heads, texts, count, bytes] = ["", "", 0, 0];
  for (const message of messages) {
    const { event, frame, seq, message: record, root } = message;
    const isInside = record !== undefined && isAtEnd(frame, record.json);
    const text = record === undefined || isInside ? frame : frame + record.json;
    const size = byteSize(text);
    const isAbsent = seq !== undefined && size > EVENT_MAX;
    if (count > 0 && bytes + size > PARCEL_MAX && !isAbsent) {
      parcels.push(`${start}${count}\n${heads}${texts}`);
      [heads, texts, count, bytes] = ["", "", 0, 0];
    }
    count++;
    if (isAbsent) {
      heads += `${event} ${seq}\n`;
      continue;
    }
    const about = record === undefined ? "" : recordHead(record, isInside) + rootHead(root);
    heads += `${event} ${seq ?? "-"} ${frame.length}${about}\n`;
    texts += text;
    bytes += size + HEAD_BYTES + about.length;
  }
  if (count > 0) parcels.push(`${start}${count}\n${heads}${texts}`);
  return parcels;
}

const isAtEnd = (frame: string, json: string): boolean =>
  frame.endsWith(AFTER_RECORD) && frame.endsWith(json, frame.length - AFTER_RECORD.length);

function recordHead(record: BrokerRecord, isInside: boolean): string {
  const { id, seq, json, reacted, threaded, hidden, featured } = record;
  const flags =
    (isInside ? INSIDE : 0) |
    (reacted === undefined ? 0 : KNOWS_REACTED) |
    (reacted === true ? REACTED : 0) |
    (threaded === true ? THREADED : 0) |
    (hidden === true ? HIDDEN : 0) |
    (featured === true ? FEATURED : 0);
  return ` ${id} ${seq} ${flags} ${json.length}`;
}

/** Written into the header line, where the release before this one, which does not know threads, passes over it. */
const rootHead = (root: BrokerRoot | undefined): string =>
  root === undefined ? "" : ` ${root.id} ${Buffer.from(root.thread).toString("base64")}`;

/** Returns the bytes of a text; for a short one an estimate, its UTF-16 units, each of which has one to three bytes. */
const byteSize = (text: string): number => (text.length * 3 <= EVENT_MAX ? text.length : Buffer.byteLength(text));

/** Unpacks a payload of the bus; null if it is not a parcel of any node. Never throws. */
export function unpackParcel(payload: string): Parcel | null {
  const end = payload.indexOf("\n");
  const [version = "", node = "", countText] = payload.slice(0, end === -1 ? 200 : end).split(" ");
  if (!/^\d{1,4}$/.test(version) || !/^[\w.-]{1,64}$/.test(node)) return null;
  const parcel: Parcel = { node, messages: [], absent: 0 };
  if (version !== VERSION) return { ...parcel, isStrange: true };
  const count = Number(countText);
  if (!(count <= COUNT_MAX) || end === -1) return null;
  return fill(parcel, payload, end + 1, count) ? parcel : null;
}

/** Reads the events; false if the parcel is malformed. */
function fill(parcel: Parcel, payload: string, start: number, count: number): boolean {
  const heads: string[][] = [];
  let at = start;
  for (let n = 0; n < count; n++) {
    const end = payload.indexOf("\n", at);
    if (end === -1) return false;
    heads.push(payload.slice(at, end).split(" "));
    at = end + 1;
  }
  for (const head of heads) {
    const [event = "", seqText, lengthText, ...record] = head;
    const seq = seqText === "-" ? undefined : Number(seqText);
    if (lengthText === undefined) {
      if (seq === undefined || Number.isNaN(seq)) return false;
      parcel.absent = Math.max(parcel.absent, seq);
      continue;
    }
    const end = at + Number(lengthText);
    if (!(end <= payload.length && end >= at)) return false;
    const frame = payload.slice(at, end);
    const message: BrokerMessage = seq === undefined ? { event, frame } : { event, frame, seq };
    at = end;
    if (record.length > 0) {
      const [rootId, thread] = record.slice(4);
      const [id, recordSeq, flags, length] = record.slice(0, 4).map(Number) as [number, number, number, number];
      const from = (flags & INSIDE) === 0 ? at : at - AFTER_RECORD.length - length;
      if (!(id >= 0 && recordSeq >= 0 && from >= 0 && from + length <= payload.length)) return false;
      message.message = { id, seq: recordSeq, json: payload.slice(from, from + length) };
      if ((flags & KNOWS_REACTED) !== 0) message.message.reacted = (flags & REACTED) !== 0;
      if ((flags & THREADED) !== 0) message.message.threaded = true;
      if ((flags & HIDDEN) !== 0) message.message.hidden = true;
      if ((flags & FEATURED) !== 0) message.message.featured = true;
      if (thread !== undefined) message.root = { id: Number(rootId), thread: Buffer.from(thread, "base64").toString() };
      if ((flags & INSIDE) === 0) at += length;
    }
    parcel.messages.push(message);
  }
  return at === payload.length;
}
