import { Database, type Statement } from "bun:sqlite";

/** Facts about an uploaded file. */
export interface Upload {
  readonly name: string;
  readonly type: string;
  readonly size: number | null;
  readonly description: string;
}

const PER_COMMIT = 10_000;

/** Who is in which room, and which files were uploaded: in a temporary database, because there may be millions. */
export class RocketChatIndex implements Disposable {
  readonly #db = new Database("");
  readonly #addMember: Statement;
  readonly #addUpload: Statement;
  #rows = 0;

  constructor() {
    this.#db.run("PRAGMA cache_size = -8000");
    this.#db.run("PRAGMA synchronous = OFF");
    this.#db.run("CREATE TABLE member (room TEXT, user TEXT, PRIMARY KEY (room, user)) WITHOUT ROWID");
    this.#db.run(
      "CREATE TABLE upload (id TEXT PRIMARY KEY, name TEXT, type TEXT, size INTEGER, description TEXT) WITHOUT ROWID",
    );
    // A server may have talked with very many visitors.
    this.#db.run("CREATE TABLE other (room TEXT PRIMARY KEY) WITHOUT ROWID");
    this.#addMember = this.#db.prepare("INSERT OR IGNORE INTO member VALUES (?, ?)");
    this.#addUpload = this.#db.prepare("INSERT OR IGNORE INTO upload VALUES (?, ?, ?, ?, ?)");
    this.#db.run("BEGIN");
  }

  addMember(room: string, user: string): void {
    if (room !== "" && user !== "") this.#count(this.#addMember, room, user);
  }

  membersOf(room: string): string[] {
    return this.#db
      .query<{ user: string }, [string]>("SELECT user FROM member WHERE room = ? ORDER BY user")
      .all(room)
      .map(({ user }) => user);
  }

  get hasMembers(): boolean {
    return this.#db.query("SELECT 1 FROM member LIMIT 1").get() !== null;
  }

  /** Adds a room that is not taken. */
  addOther(room: string): void {
    this.#count(this.#db.query("INSERT OR IGNORE INTO other VALUES (?)"), room);
  }

  isOther(room: string): boolean {
    return this.#db.query("SELECT 1 FROM other WHERE room = ?").get(room) !== null;
  }

  addUpload(id: string, { name, type, size, description }: Upload): void {
    if (id !== "") this.#count(this.#addUpload, id, name, type, size, description);
  }

  upload(id: string): Upload | null {
    return this.#db.query<Upload, [string]>("SELECT name, type, size, description FROM upload WHERE id = ?").get(id);
  }

  [Symbol.dispose](): void {
    this.#db.close();
  }

  #count(statement: Statement, ...values: (string | number | null)[]): void {
    statement.run(...values);
    this.#rows += 1;
    if (this.#rows % PER_COMMIT === 0) this.#db.run("COMMIT; BEGIN");
  }
}
