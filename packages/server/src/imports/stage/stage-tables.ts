import { Database } from "bun:sqlite";
import type { SourceMessage } from "../source.ts";
import type { StagedMessage } from "../stage.ts";

/** Pages of the stage that SQLite keeps in memory, in KiB. */
export const CACHE_KIB = 8 * 1024;

const TABLES = `
  CREATE TABLE about (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
  CREATE TABLE users (id TEXT NOT NULL UNIQUE, json TEXT NOT NULL);
  CREATE TABLE channels (number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, json TEXT NOT NULL, members TEXT NOT NULL);
  CREATE TABLE messages (
    row INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    channel INTEGER NOT NULL,
    at INTEGER NOT NULL,
    ordinal INTEGER NOT NULL,
    thread TEXT,
    pinned INTEGER NOT NULL,
    json TEXT NOT NULL
  );
  -- People whom a message names, and who are in no list so far.
  CREATE TABLE doubts (row INTEGER NOT NULL, kind TEXT NOT NULL, user TEXT NOT NULL);
  CREATE TABLE places (place INTEGER PRIMARY KEY, row INTEGER NOT NULL);
`;

/** Creates an empty stage. Nothing syncs until it is finished, because an unfinished stage is never used. */
export function createStage(path: string): Database {
  const db = new Database(path, { create: true, strict: true });
  db.run("PRAGMA journal_mode = OFF");
  db.run("PRAGMA synchronous = OFF");
  db.run(`PRAGMA cache_size = -${CACHE_KIB}`);
  db.run(TABLES);
  return db;
}

export const openStageFile = (path: string): Database => new Database(path, { readonly: true, strict: true });

/** Returns a value that a stage keeps of itself; null if it is not finished. */
export const aboutOf = (db: Database, name: string): unknown => {
  const tables = db.query("SELECT 1 FROM sqlite_schema WHERE name = 'about'").get();
  if (tables === null) return null;
  const row = db.query<{ value: string }, [string]>("SELECT value FROM about WHERE name = ?").get(name);
  return row === null ? null : JSON.parse(row.value);
};

/** What is in the row's own columns, and not in its JSON. */
type Columns = "id" | "channelId" | "at" | "order" | "threadId" | "isPinned";
type Rest = Omit<SourceMessage, Columns>;

/** The usual values of fields, which are not written. */
const USUAL = {
  isAlsoInChannel: false,
  replyToId: null,
  editedAt: null,
  isTombstone: false,
  reactions: [],
  files: [],
} as const satisfies Partial<Rest>;

export interface MessageRow {
  readonly place: number;
  readonly id: string;
  readonly channel: string;
  readonly at: number;
  readonly ordinal: number;
  readonly thread: string | null;
  readonly pinned: number;
  readonly json: string;
}

/** Returns the part of a message that is stored as JSON. */
export function jsonOf({ senderId, text, ...message }: SourceMessage): string {
  const { isAlsoInChannel, replyToId, editedAt, isTombstone, reactions, files } = message;
  return JSON.stringify({
    senderId,
    text,
    ...(isAlsoInChannel ? { isAlsoInChannel } : {}),
    ...(replyToId === null ? {} : { replyToId }),
    ...(editedAt === null ? {} : { editedAt }),
    ...(isTombstone ? { isTombstone } : {}),
    ...(reactions.length === 0 ? {} : { reactions }),
    ...(files.length === 0 ? {} : { files }),
  } satisfies Partial<Rest>);
}

/** Returns the message that a row of the stage has. */
export function messageOf(row: MessageRow): StagedMessage {
  const rest = JSON.parse(row.json) as Pick<Rest, "senderId" | "text"> & Partial<Rest>;
  return {
    ...USUAL,
    ...rest,
    place: row.place,
    id: row.id,
    channelId: row.channel,
    at: row.at,
    order: row.ordinal,
    threadId: row.thread,
    isPinned: row.pinned === 1,
  };
}

/** The form of stages. One of another form is read again from its export. */
const FORM = 2;

/** Returns what a finished stage says of its export. */
export const markOf = (fingerprint: string): string => `${fingerprint} ${FORM}`;
