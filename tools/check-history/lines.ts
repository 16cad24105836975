/**
 * The lines of a history (docs/reference/histories.md): JSON, one object each, in the order of one monotonic clock.
 * Nothing here or below imports from the server: a checker that shares code with what it checks shares its faults.
 */
export type Line = Header | Invoke | Outcome | Seen | Left | Fault | End;

/** The first line. */
export interface Header {
  type: "history";
  version: 1;
  seed: number;
  /** The nodes that a client could reach. Each must be read whole at the end. */
  nodes: string[];
}

interface Timed {
  /** Microseconds since the start of the history. */
  t: number;
}

/** Written before the first byte of a request leaves. */
export interface Invoke extends Timed {
  type: "invoke";
  op: number;
  client: string;
  f: "send" | "page" | "join" | "claim" | "packet" | "ledger" | "inbox" | "ack" | "revoke" | "budget";
  node?: string;
  channel?: number;
  /** send: the `client_msg_id`. */
  key?: string;
  /** send: the first 16 hexadecimal digits of the SHA-256 of the text, which no other message has. */
  hash?: string;
  /** send: the agents that it mentions. */
  mentions?: string[];
  /** page, join: the seq after which the client reads on; absent: the newest. */
  after?: number;
  /** page, inbox, packet, ledger, budget: a part of the full read at the end. */
  final?: boolean;
  /** claim, packet. */
  packet?: number;
  /** ack: the item. */
  item?: number;
  /** revoke: the client whose key, session or membership ends. */
  subject?: string;
}

/** A message as a reader sees it: seq, id, hash; the hash of a deleted message is null. */
export type Message = [seq: number, id: number, hash: string | null];

/** Written after the last byte of an answer has come. `fail`: nothing was done. `unknown`: nobody can say. */
export interface Outcome extends Timed {
  type: "ok" | "fail" | "unknown";
  op: number;
  seq?: number;
  id?: number;
  /** send: the server says that it had this key before. */
  repeated?: boolean;
  /** page, join. */
  messages?: Message[];
  /** page: more follow. */
  more?: boolean;
  /** page, join: the newest seq of the channel. */
  last_seq?: number;
  /** join. */
  epoch?: string;
  recovered?: boolean;
  /** claim; in a decimal text, as all amounts. */
  amount?: string;
  /** packet. */
  total?: string;
  shares?: number;
  refunded?: string;
  claims?: [client: string, amount: string][];
  /** ledger: the sum of all entries of each currency. */
  sums?: Record<string, string>;
  /** inbox: the items that wait, with the ids of their messages. */
  items?: [item: number, message: number][];
  /** budget. */
  limit?: string;
  spent?: string;
}

/** A message that the server pushed. */
export interface Seen extends Timed {
  type: "see";
  client: string;
  channel: number;
  seq: number;
  id: number;
  hash: string | null;
}

/** The socket of a client has ended. */
export interface Left extends Timed {
  type: "leave";
  client: string;
}

export interface Fault extends Timed {
  type: "fault";
  fault: string;
  at: "begin" | "end";
  node?: string;
}

/** The last line: without it the history was cut off, and proves nothing. */
export interface End extends Timed {
  type: "end";
}

const TYPES: ReadonlySet<string> = new Set([
  "history",
  "invoke",
  "ok",
  "fail",
  "unknown",
  "see",
  "leave",
  "fault",
  "end",
]);

/** A line that is not of a history, and why. */
export class BadLine extends Error {}

/** Reads one line. Errors: `BadLine`. */
export function parseLine(text: string): Line {
  const line = parseJson(text);
  if (typeof line !== "object" || line === null || !("type" in line) || !TYPES.has(String(line.type)))
    throw new BadLine("It has no known type.");
  if (line.type === "history") return header(line);
  if (!("t" in line) || !Number.isSafeInteger(line.t)) throw new BadLine("It has no time t.");
  if ("op" in line ? !Number.isSafeInteger(line.op) : /^(?:invoke|ok|fail|unknown)$/.test(String(line.type)))
    throw new BadLine("It has no number op.");
  return line as Line;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new BadLine(error instanceof Error ? error.message : String(error));
  }
}

function header(line: object): Header {
  const { version, nodes } = line as Partial<Header>;
  if (version !== 1) throw new BadLine("This checker reads version 1.");
  if (!Array.isArray(nodes)) throw new BadLine("It names no nodes.");
  return line as Header;
}
