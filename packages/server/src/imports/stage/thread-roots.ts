import type { Database } from "bun:sqlite";
import type { SourceMessage } from "../source.ts";
import { jsonOf } from "./stage-tables.ts";
import type { Tally } from "./tally.ts";

const PAGE = 500;
/** A chain of replies to replies that is longer is cut: it is no conversation, and would need memory without end. */
const CHAIN_MAX = 100_000;

/**
 * Gives every thread one level and a root that is there (§14.2): a root that is absent becomes a tombstone, a root that is
 * itself a reply gives way to its own root, and of a circle the earliest message is the root. Replies that are older
 * than their root move behind it.
 */
export function settleThreads(db: Database, tally: Tally, hasUser: (id: string) => boolean): void {
  addAbsentRoots(db, hasUser);
  flattenChains(db, tally);
  const { changes } = db.run(
    `UPDATE messages SET moved = 1, at = root.at FROM messages AS root WHERE root.id = messages.thread
     AND (messages.at < root.at OR (messages.at = root.at AND messages.ordinal < root.ordinal))`,
  );
  tally.moved(changes);
}

interface Absent {
  id: string;
  channel: number;
  at: number;
  json: string;
}

function addAbsentRoots(db: Database, hasUser: (id: string) => boolean): void {
  // The first reply of each, whose JSON says what is known of the root.
  db.run(`CREATE TEMP TABLE absent AS SELECT thread AS id, channel, min(at) AS at, row FROM messages
    WHERE thread IS NOT NULL AND thread NOT IN (SELECT id FROM messages) GROUP BY thread`);
  const page = db.prepare<Absent & { place: number }, [number, number]>(
    `SELECT absent.rowid AS place, absent.id, absent.channel, absent.at, messages.json FROM absent
     JOIN messages ON messages.row = absent.row WHERE absent.rowid > ? ORDER BY absent.rowid LIMIT ?`,
  );
  const insert = db.prepare(
    `INSERT INTO messages (id, channel, at, ordinal, thread, pinned, absent, json) VALUES (?, ?, ?, -1, NULL, 0, 1, ?)`,
  );
  for (let after = 0; ; ) {
    const found = page.all(after, PAGE);
    for (const { id, channel, at, json } of found) {
      const { threadAt, threadSenderId } = JSON.parse(json) as Pick<SourceMessage, "threadAt" | "threadSenderId">;
      insert.run(id, channel, Math.min(at, threadAt ?? at), tombstone(hasUser, threadSenderId));
    }
    if (found.length < PAGE) break;
    after = found.at(-1)?.place ?? after;
  }
  db.run("DROP TABLE absent");
}

function tombstone(hasUser: (id: string) => boolean, senderId: string | null): string {
  return jsonOf({
    id: "",
    channelId: "",
    senderId: senderId !== null && hasUser(senderId) ? senderId : null,
    at: 0,
    order: 0,
    text: { type: "root", children: [] },
    threadId: null,
    threadAt: null,
    threadSenderId: null,
    isAlsoInChannel: false,
    replyToId: null,
    editedAt: null,
    isTombstone: true,
    isPinned: false,
    reactions: [],
    files: [],
  });
}

interface Link {
  row: number;
  id: string;
  at: number;
  ordinal: number;
  thread: string | null;
}

/** Follows each root that is a reply to where it ends. Every message is followed once: what is found is stored. */
function flattenChains(db: Database, tally: Tally): void {
  const next = db.prepare<Link, [number]>(
    `SELECT messages.row, messages.id, messages.at, messages.ordinal, messages.thread FROM messages
     JOIN messages AS root ON root.id = messages.thread
     WHERE messages.row > ? AND root.thread IS NOT NULL ORDER BY messages.row LIMIT 1`,
  );
  const byId = db.prepare<Link, [string]>("SELECT row, id, at, ordinal, thread FROM messages WHERE id = ?");
  const setThread = db.prepare("UPDATE messages SET thread = ? WHERE row = ?");
  for (let after = 0; ; ) {
    const first = next.get(after);
    if (first === null) return;
    const path = [first];
    const places = new Map([[first.row, 0]]);
    let root = first;
    for (let link = byId.get(first.thread ?? ""); link !== null; link = byId.get(link.thread ?? "")) {
      const circle = places.get(link.row);
      root = circle === undefined ? link : earliest(path.slice(circle));
      if (circle !== undefined || link.thread === null || path.length === CHAIN_MAX) break;
      places.set(link.row, path.length);
      path.push(link);
    }
    for (const { row } of path) setThread.run(root.id, row);
    if (root.thread !== null) {
      setThread.run(null, root.row);
      tally.less("replies", 1);
    }
    after = first.row;
  }
}

const earliest = (links: readonly Link[]): Link =>
  links.reduce((one, other) =>
    other.at < one.at || (other.at === one.at && other.ordinal < one.ordinal) ? other : one,
  );
