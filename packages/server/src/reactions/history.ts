import type { Insertable } from "kysely";
import type { Db } from "../db/db.ts";
import { SizedStatement } from "../db/statements/sized-statement.ts";
import type { ReactionsTable } from "../db/tables/reactions.ts";

const BLANK: Insertable<ReactionsTable> = {
  message_id: 0,
  actor_kind: "user",
  actor_id: 0,
  reaction: "",
  created_at: 0,
};

const INSERT = new SizedStatement(BLANK, (db, rows) => db.insertInto("reactions").values(rows).compile());

/** Stores the reactions of imported messages, whose rows count them already. */
export const insertReactions = (db: Db, rows: readonly Insertable<ReactionsTable>[]): Promise<unknown> =>
  INSERT.run(db, rows);
