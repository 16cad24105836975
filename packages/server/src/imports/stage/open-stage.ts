import { type Database, SQLiteError } from "bun:sqlite";
import type { SourceUser } from "../source.ts";
import type { CountedStage, StageCounts, StagedChannel, StagedLeftOut, StagedMessage } from "../stage.ts";
import { aboutOf, CACHE_KIB, type MessageRow, markOf, messageOf, openStageFile } from "./stage-tables.ts";

/** A page of messages ends after this much JSON. */
const PAGE_LENGTH = 16 * 1024 * 1024;

const COLUMNS = `places.place, messages.id, channels.id AS channel, messages.at, messages.ordinal, messages.thread,
  messages.pinned, messages.json`;
const WITH_CHANNEL = "JOIN channels ON channels.number = messages.channel";

/** Opens the stage of an export; null if it is not finished, or is of another one. */
export function openStage(path: string, fingerprint: string): CountedStage | null {
  const db = openStageFile(path);
  try {
    if (aboutOf(db, "fingerprint") === markOf(fingerprint)) return stageOf(db);
  } catch (error) {
    // A process that was killed before the end may leave any bytes.
    if (!(error instanceof SQLiteError && UNFINISHED.has(error.code ?? ""))) throw error;
  }
  db.close();
  return null;
}

const UNFINISHED = new Set(["SQLITE_NOTADB", "SQLITE_CORRUPT"]);

function stageOf(db: Database): CountedStage {
  db.run(`PRAGMA cache_size = -${CACHE_KIB}`);
  const after = db.prepare<MessageRow, [number, number]>(
    `SELECT ${COLUMNS} FROM places JOIN messages ON messages.row = places.row ${WITH_CHANNEL}
     WHERE places.place > ? ORDER BY places.place LIMIT ?`,
  );
  const byId = db.prepare<MessageRow, [string]>(
    `SELECT ${COLUMNS} FROM messages JOIN places ON places.row = messages.row ${WITH_CHANNEL} WHERE messages.id = ?`,
  );
  const members = db.prepare<{ members: string }, [string]>("SELECT members FROM channels WHERE id = ?");
  const size = db.query<{ size: number }, []>("SELECT count(*) AS size FROM places").get()?.size ?? 0;
  return {
    workspace: aboutOf(db, "workspace") as CountedStage["workspace"],
    size,
    users: () => recordsOf<SourceUser>(db, "users"),
    channels: () => recordsOf<StagedChannel>(db, "channels"),
    membersOf: (id) => JSON.parse(members.get(id)?.members ?? "[]") as string[],
    messagesAfter: (last, limit) => page(after.iterate(last, limit)),
    message(id) {
      const row = byId.get(id);
      return row === null ? null : messageOf(row);
    },
    counts: () => aboutOf(db, "counts") as StageCounts,
    leftOut: () => aboutOf(db, "left_out") as StagedLeftOut[],
    [Symbol.asyncDispose]: async () => db.close(),
  };
}

function page(rows: IterableIterator<MessageRow>): StagedMessage[] {
  const messages: StagedMessage[] = [];
  let length = 0;
  for (const row of rows) {
    messages.push(messageOf(row));
    length += row.json.length;
    if (length > PAGE_LENGTH) break;
  }
  return messages;
}

const recordsOf = <T>(db: Database, table: "users" | "channels"): T[] =>
  db
    .query<{ json: string }, []>(`SELECT json FROM ${table} ORDER BY rowid`)
    .all()
    .map(({ json }) => JSON.parse(json) as T);
