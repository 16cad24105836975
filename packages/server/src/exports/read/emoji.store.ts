import type { Db } from "../../db/db.ts";

/** Returns the emoji that people see, in the order of their names. */
export const serverEmoji = (db: Db) =>
  db
    .selectFrom("emoji")
    .select(["id", "name", "mime_type", "size_bytes"])
    .where("is_hidden", "=", 0)
    .orderBy("name")
    .execute();
