import { parseArgs } from "node:util";
import { systemClock } from "../../../src/clock.ts";
import { openDatabase } from "../../../src/db/database.ts";

/**
 * A separate process on a SQLite file: opens it as a server, prints `ready`, writes the line `committed` after a
 * commit, and stays until it is killed. If it is refused, it prints why on standard error and exits with 1.
 */
const { positionals } = parseArgs({ allowPositionals: true });
try {
  const { db } = await openDatabase({ kind: "sqlite", path: String(positionals[0]) }, systemClock);
  console.log("ready");
  await db
    .insertInto("meta")
    .values({ key: "held", value: "yes" })
    .onConflict((oc) => oc.doNothing())
    .execute();
  console.log("committed");
  setInterval(() => {}, 60_000);
} catch (error) {
  console.error(String(error));
  process.exit(1);
}
