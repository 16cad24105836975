import { Database } from "bun:sqlite";
import { join } from "node:path";
import { temporaryFolder } from "../config.ts";
import { onPostgres, openMigratedPlace } from "../databases.ts";
import { ChildServer } from "../servers/child-server.ts";
import { eventually } from "../servers/test-server.ts";
import { stayDown } from "./kill-around.ts";

const KILLED = join(import.meta.dir, "killed-work.ts");
/** More statements than the work of any test has. */
const STATEMENTS_MAX = 40;

interface Work {
  /** Matches the statements before which the server is killed. */
  statements: RegExp;
  /** The columns with times, by table: while the server is down, they are moved into the past by `ms`. */
  times: Record<string, readonly string[]>;
  ms: number;
  /** Prepares new work on a healthy server, to be done when its time has come. */
  prepare(url: string, round: number): Promise<void>;
  /** Returns true if all of it is done. */
  isDone(url: string): Promise<boolean>;
}

/** The database of a server that is killed, and how its times are moved. */
interface Place extends AsyncDisposable {
  folder: string;
  env: Record<string, string>;
  /** Returns the rows that a statement of SQL finds, also while a server runs. */
  query(statement: string): Promise<Record<string, unknown>[]>;
  stayDown(ms: number, columns: Work["times"]): Promise<void>;
}

/** Opens a place for a server of its own. */
export async function placeOn(database: string): Promise<Place> {
  const folder = temporaryFolder();
  if (database === "sqlite") {
    const moved = async (ms: number, columns: Work["times"]) => stayDown(folder, ms, columns);
    const query = async (statement: string) => {
      using database = new Database(join(folder, "parley.sqlite"));
      return database.query<Record<string, unknown>, []>(statement).all();
    };
    return { folder, env: {}, query, stayDown: moved, [Symbol.asyncDispose]: async () => {} };
  }
  const place = await openMigratedPlace();
  const moved = async (ms: number, columns: Work["times"]) => {
    for (const [table, names] of Object.entries(columns))
      await onPostgres(`update ${table} set ${names.map((name) => `${name} = ${name} - ${ms}`).join(", ")}`, place.url);
  };
  const env = { DATABASE_URL: place.url };
  const query = (statement: string) => onPostgres(statement, place.url);
  return { folder, env, query, stayDown: moved, [Symbol.asyncDispose]: () => place[Symbol.asyncDispose]() };
}

/**
 * Lets a server begin work and kills it before its first statement, then new work before the second one, and so on, until
 * one finishes its work. After each kill a healthy server finishes it. Returns the number of kills.
 */
export async function killAtEach(place: Place, port: number, work: Work): Promise<number> {
  const { statements, times, ms, prepare, isDone } = work;
  for (let fatal = 1; fatal <= STATEMENTS_MAX; fatal += 1) {
    await using healthy = new ChildServer(place.folder, port, place.env);
    await healthy.start();
    await prepare(healthy.url, fatal);
    await healthy.end("SIGKILL");
    await place.stayDown(ms, times);

    const env = { ...place.env, PARLEY_TEST_FATAL: String(fatal), PARLEY_TEST_WORK: statements.source };
    await using killed = new ChildServer(place.folder, port, env, { main: KILLED });
    // It may die before it is ready.
    await killed.start().catch(() => {});
    const isOver = () => isDone(killed.url).catch(() => false);
    await eventually("it was killed, or has done its work", async () => !killed.isRunning || (await isOver()));
    const wasKilled = !killed.isRunning;
    await killed.end("SIGKILL");
    await place.stayDown(ms, times);

    await healthy.start();
    await eventually("the work is done", () => isDone(healthy.url));
    if (!wasKilled) return fatal - 1;
  }
  throw new Error(`The work did not end within ${STATEMENTS_MAX} statements.`);
}

interface Acting {
  /** Matches the statements before which the server is killed. */
  statements: RegExp;
  /** Prepares an act on a healthy server. */
  prepare(url: string, round: number): Promise<void>;
  /** Acts. A kill makes it reject; on the healthy server afterwards it is repeated, as a client without an answer does. */
  act(url: string, round: number): Promise<void>;
  /** Checks what the act has left, after it was repeated. */
  check(url: string, round: number): Promise<void>;
}

/**
 * Kills a server before the first statement of an act of a client, then before the second one of another act, and so on,
 * until an act passes. Returns the number of kills.
 */
export async function killActAtEach(place: Place, port: number, acting: Acting): Promise<number> {
  const { statements, prepare, act, check } = acting;
  await using healthy = new ChildServer(place.folder, port, place.env);
  await healthy.start();
  for (let fatal = 1; fatal <= STATEMENTS_MAX; fatal += 1) {
    await prepare(healthy.url, fatal);
    await healthy.end("SIGKILL");
    const env = { ...place.env, PARLEY_TEST_FATAL: String(fatal), PARLEY_TEST_WORK: statements.source };
    await using killed = new ChildServer(place.folder, port, env, { main: KILLED });
    await killed.start();
    const passed = await act(killed.url, fatal).then(
      () => true,
      () => false,
    );
    if (!passed) await killed.ended();
    await killed.end("SIGKILL");
    await healthy.start();
    await act(healthy.url, fatal);
    await check(healthy.url, fatal);
    if (passed) return fatal - 1;
  }
  throw new Error(`The act did not end within ${STATEMENTS_MAX} statements.`);
}
