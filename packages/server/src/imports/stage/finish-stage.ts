import type { Database } from "bun:sqlite";
import { PINS_PER_CHANNEL } from "@parley/protocol/limits";
import type { SourceMessage } from "../source.ts";
import type { Tally } from "./tally.ts";

/** Settles what only the whole export tells: people whom no list has, pins, the order, and which replies come early. */
export function settle(db: Database, tally: Tally, hasUser: (id: string) => boolean): void {
  settlePeople(db, tally, hasUser);
  settlePins(db, tally);
  db.run("INSERT INTO places (row) SELECT row FROM messages ORDER BY at, channel, ordinal, row");
  db.run("CREATE UNIQUE INDEX places_by_row ON places (row)");
  tally.moved(earlyReplies(db));
}

interface Doubt {
  row: number;
  kind: "reaction" | "mention";
  user: string;
  id: string;
  json: string;
}

/** Leaves out reactions of people who wrote nothing and are in no list. Mentions of them stay as text. */
function settlePeople(db: Database, tally: Tally, hasUser: (id: string) => boolean): void {
  const doubts = db.prepare<Doubt, [number]>(
    `SELECT doubts.rowid, doubts.row, doubts.kind, doubts.user, messages.id, messages.json FROM doubts
     JOIN messages ON messages.row = doubts.row WHERE doubts.rowid > ? ORDER BY doubts.rowid LIMIT 1`,
  );
  const update = db.prepare("UPDATE messages SET json = ? WHERE row = ?");
  for (let after = 0; ; after += 1) {
    const doubt = doubts.get(after);
    if (doubt === null) break;
    if (hasUser(doubt.user)) continue;
    tally.leaveOut({ kind: doubt.kind, reason: "person_unknown", example: doubt.id });
    tally.less(doubt.kind === "reaction" ? "reactions" : "mentions", 1);
    if (doubt.kind === "reaction") update.run(withoutReactionsOf(doubt), doubt.row);
  }
  db.run("DROP TABLE doubts");
}

/** The same person is in doubt once for each reaction, so all but the first time there is nothing to do. */
function withoutReactionsOf({ json, user }: Doubt): string {
  const message = JSON.parse(json) as Pick<SourceMessage, "reactions">;
  const left = message.reactions.map(({ reaction, userIds }) => ({
    reaction,
    userIds: userIds.filter((id) => id !== user),
  }));
  return JSON.stringify({ ...message, reactions: left.filter(({ userIds }) => userIds.length > 0) });
}

/** A channel keeps its newest 50 pins. */
function settlePins(db: Database, tally: Tally): void {
  db.run("CREATE INDEX pins ON messages (channel) WHERE pinned = 1");
  const many = db.query<{ channel: number }, [number]>(
    "SELECT channel FROM messages WHERE pinned = 1 GROUP BY channel HAVING count(*) > ?",
  );
  for (const { channel } of many.all(PINS_PER_CHANNEL)) {
    const older = db
      .query<{ row: number; id: string }, [number, number]>(
        "SELECT row, id FROM messages WHERE channel = ? AND pinned = 1 ORDER BY at DESC, ordinal DESC LIMIT -1 OFFSET ?",
      )
      .all(channel, PINS_PER_CHANNEL);
    for (const { row, id } of older) {
      db.query("UPDATE messages SET pinned = 0 WHERE row = ?").run(row);
      tally.leaveOut({ kind: "pin", reason: "more_than_50", example: id });
    }
    tally.less("pins", older.length);
  }
}

/** Counts the replies that are older than the root of their thread. The writing gives them its time. */
const earlyReplies = (db: Database): number =>
  db
    .query<{ count: number }, []>(
      `SELECT count(*) AS count FROM messages JOIN messages AS root ON root.id = messages.thread
       WHERE messages.at < root.at OR (messages.at = root.at AND messages.ordinal < root.ordinal)`,
    )
    .get()?.count ?? 0;
