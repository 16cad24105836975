import { Database, type Statement } from "bun:sqlite";

/**
 * Numbers the posts of one author in one channel and millisecond, which have no other difference for sure, in a temporary
 * database on disk: nothing is kept in memory for each message.
 */
export class PostNumbers implements Disposable {
  readonly #db = new Database("");
  readonly #next: Statement<{ count: number }, [string]>;

  constructor() {
    this.#db.run("PRAGMA cache_size = -8000");
    this.#db.run("PRAGMA synchronous = OFF");
    this.#db.run("CREATE TABLE posts (key TEXT PRIMARY KEY, count INTEGER NOT NULL) WITHOUT ROWID");
    this.#next = this.#db.prepare(
      "INSERT INTO posts VALUES (?, 1) ON CONFLICT (key) DO UPDATE SET count = count + 1 RETURNING count",
    );
    this.#db.run("BEGIN");
  }

  /** Returns 1 for the first post with this key, then 2, and so on. */
  next(key: string): number {
    return this.#next.get(key)?.count ?? 1;
  }

  [Symbol.dispose](): void {
    this.#db.close();
  }
}
