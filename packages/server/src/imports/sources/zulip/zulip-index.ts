import { Database, type Statement } from "bun:sqlite";

/** A topic or a conversation, as the messages name it. */
export interface Opening {
  /** Of a stream, or of people. */
  readonly recipient: string;
  readonly topic: string;
}

export interface Reaction {
  /** An emoji, or the short name of one of the organisation's own. */
  readonly emoji: string;
  readonly user: string;
}

export interface SubMessage {
  readonly sender: string;
  readonly content: string;
}

export interface Attachment {
  readonly name: string;
  readonly size: number | null;
}

/** A message may be this often in a list that belongs to it: an organisation has no more people. */
const ROWS_MAX = 20_000;
const PER_COMMIT = 10_000;

/**
 * Keeps what the export has about messages beside them: reactions, votes, members and the first messages of topics. It is in
 * a temporary database on the disk, because an export may have millions of each.
 */
export class ZulipIndex implements Disposable {
  readonly #db = new Database("");
  readonly #statements = new Map<string, Statement>();
  #rows = 0;

  constructor() {
    this.#db.run("PRAGMA cache_size = -16000");
    this.#db.run("PRAGMA synchronous = OFF");
    this.#db.run("CREATE TABLE member (recipient TEXT, user TEXT, PRIMARY KEY (recipient, user)) WITHOUT ROWID");
    this.#db.run(
      "CREATE TABLE reaction (message TEXT, emoji TEXT, user TEXT, PRIMARY KEY (message, emoji, user)) WITHOUT ROWID",
    );
    this.#db.run("CREATE TABLE submessage (message TEXT, id INTEGER, sender TEXT, content TEXT)");
    this.#db.run("CREATE INDEX submessages ON submessage (message)");
    this.#db.run("CREATE TABLE attachment (path TEXT PRIMARY KEY, name TEXT, size INTEGER) WITHOUT ROWID");
    this.#db.run(
      "CREATE TABLE topic (recipient TEXT, topic TEXT, at INTEGER, id INTEGER, PRIMARY KEY (recipient, topic)) WITHOUT ROWID",
    );
    this.#db.run("CREATE TABLE talk (channel TEXT PRIMARY KEY) WITHOUT ROWID");
    this.#db.run("BEGIN");
  }

  addMember(recipient: string, user: string): void {
    this.#insert("INSERT OR IGNORE INTO member VALUES (?, ?)", recipient, user);
  }

  membersOf(recipient: string): string[] {
    const rows = this.#query("SELECT user FROM member WHERE recipient = ? ORDER BY CAST(user AS INTEGER)", recipient);
    return (rows as { user: string }[]).map(({ user }) => user);
  }

  addReaction(message: string, emoji: string, user: string): void {
    this.#insert("INSERT OR IGNORE INTO reaction VALUES (?, ?, ?)", message, emoji, user);
  }

  reactionsTo(message: string): Reaction[] {
    const rows = this.#query(`SELECT emoji, user FROM reaction WHERE message = ? LIMIT ${ROWS_MAX}`, message);
    return rows as Reaction[];
  }

  addSubMessage(message: string, id: number, { sender, content }: SubMessage): void {
    this.#insert("INSERT INTO submessage VALUES (?, ?, ?, ?)", message, id, sender, content);
  }

  subMessagesOf(message: string): SubMessage[] {
    const rows = this.#query(
      `SELECT sender, content FROM submessage WHERE message = ? ORDER BY id LIMIT ${ROWS_MAX}`,
      message,
    );
    return rows as SubMessage[];
  }

  addAttachment(path: string, { name, size }: Attachment): void {
    this.#insert("INSERT OR IGNORE INTO attachment VALUES (?, ?, ?)", path, name, size);
  }

  attachment(path: string): Attachment | null {
    const [row] = this.#query("SELECT name, size FROM attachment WHERE path = ?", path) as Attachment[];
    return row ?? null;
  }

  /** Adds a message of a topic. The first one by time begins its thread; of the same time, the one with the lower id. */
  addToTopic({ recipient, topic }: Opening, at: number, id: number): void {
    this.#insert(
      `INSERT INTO topic VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET at = excluded.at, id = excluded.id
       WHERE excluded.at < at OR (excluded.at = at AND excluded.id < id)`,
      recipient,
      topic.toLowerCase(),
      at,
      id,
    );
  }

  /** Returns the id of the message that began a topic; null if the export has none of it. */
  rootOf({ recipient, topic }: Opening): string | null {
    const [row] = this.#query(
      "SELECT id FROM topic WHERE recipient = ? AND topic = ?",
      recipient,
      topic.toLowerCase(),
    ) as { id: number }[];
    return row === undefined ? null : String(row.id);
  }

  /** Adds a conversation that has messages. */
  addTalk(channel: string): void {
    this.#insert("INSERT OR IGNORE INTO talk VALUES (?)", channel);
  }

  *talks(): Generator<string> {
    for (const row of this.#db.query<{ channel: string }, []>("SELECT channel FROM talk ORDER BY channel").iterate())
      yield row.channel;
  }

  [Symbol.dispose](): void {
    for (const statement of this.#statements.values()) statement.finalize();
    this.#db.close();
  }

  #insert(sql: string, ...values: (string | number | null)[]): void {
    this.#statement(sql).run(...values);
    this.#rows += 1;
    if (this.#rows % PER_COMMIT === 0) this.#db.run("COMMIT; BEGIN");
  }

  #query(sql: string, ...values: string[]): unknown[] {
    return this.#statement(sql).all(...values);
  }

  #statement(sql: string): Statement {
    const known = this.#statements.get(sql) ?? this.#db.prepare(sql);
    this.#statements.set(sql, known);
    return known;
  }
}
