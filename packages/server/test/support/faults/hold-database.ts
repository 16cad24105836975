import { parseArgs } from "node:util";
import { systemClock } from "../../../src/clock.ts";
import { openDatabase } from "../../../src/db/database.ts";

/**
 * A separate process that opens a SQLite file as a server does, prints `ready`, prints `committed` after a commit, and
 * runs until it is killed. If opening is refused, it prints the reason on standard error and exits with 1.
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
