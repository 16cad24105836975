import { Database } from "bun:sqlite";
import pg from "pg";
import { systemClock } from "../../../src/clock.ts";
import { openDatabase } from "../../../src/db/database.ts";
import { becomeNextRelease } from "../next-release.ts";

/**
 * A process that opens a database as the next release does, and kills itself before the statement with this number,
 * counted from 1; 0: it does not. Arguments: the SQLite file or PostgreSQL URL, the number, and optionally `additions` for
 * a release that removes nothing. Prints how many statements it counted: on PostgreSQL all, on SQLite each text once,
 * because it is prepared once.
 */
const [place = "", fatal = "", kind] = process.argv.slice(2);
let statements = 0;

/** Counts the calls of a method, for all objects of a class. */
function count<K extends string>(prototype: Record<K, unknown>, name: K): void {
  const method = prototype[name] as (...words: unknown[]) => unknown;
  prototype[name] = function (this: unknown, ...words: unknown[]) {
    statements++;
    if (statements === Number(fatal)) process.kill(process.pid, "SIGKILL");
    return method.apply(this, words);
  };
}

count(pg.Client.prototype, "query");
count(Database.prototype, "prepare");
becomeNextRelease({ removes: kind !== "additions" });
const config = place.startsWith("postgres")
  ? ({ kind: "postgres", url: place } as const)
  : ({ kind: "sqlite", path: place } as const);
await (await openDatabase(config, systemClock, { mode: "tool" }))[Symbol.asyncDispose]();
console.log(statements);
