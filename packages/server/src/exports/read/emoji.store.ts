import type { Db } from "../../db/db.ts";

/** Returns the emoji of the server, in the order of their names. */
export const serverEmoji = (db: Db) =>
  db.selectFrom("emoji").select(["id", "name", "mime_type", "size_bytes"]).orderBy("name").execute();
