import { Database, type Statement } from "bun:sqlite";
import { createHash } from "node:crypto";
import { SourceError } from "../source.ts";
import { nameProblem, quoted } from "./entry-names.ts";

/** A file of an export. */
export interface Entry {
  /** Its path within the export, with `/` between folders. */
  readonly name: string;
  readonly size: number;
}

/** The place of an entry in a ZIP, and how it is packed. */
export interface Place {
  readonly offset: number;
  readonly packedSize: number;
  readonly method: number;
  readonly crc: number;
}

export const ENTRIES_MAX = 2_000_000;
const ENTRY_BYTES_MAX = 16 * 1024 ** 3;
const PAGE = 500;
const NOWHERE: Place = { offset: 0, packedSize: 0, method: 0, crc: 0 };

type Row = Entry & Place;

/**
 * The directory of an export, sorted by name, in a temporary database on disk: two million names would not fit into the
 * memory that an import may use. Adding refuses what no export may have.
 */
export class EntryList implements Disposable {
  readonly #path: string;
  readonly #db = new Database("");
  readonly #insert: Statement;
  readonly #find: Statement<Row, [string]>;
  readonly #page: Statement<Entry, [string, string, number]>;
  readonly #next: Statement<Entry, [string, string]>;
  #seen = 0;
  #bytes = 0;

  /** `path` is the export's, for messages. */
  constructor(path: string) {
    this.#path = path;
    this.#db.run("PRAGMA cache_size = -8000");
    this.#db.run("PRAGMA synchronous = OFF");
    this.#db.run(
      `CREATE TABLE entry (name TEXT PRIMARY KEY, size INTEGER, offset INTEGER, packedSize INTEGER, method INTEGER,
        crc INTEGER) WITHOUT ROWID`,
    );
    this.#insert = this.#db.prepare("INSERT OR IGNORE INTO entry VALUES (?, ?, ?, ?, ?, ?)");
    this.#find = this.#db.prepare("SELECT * FROM entry WHERE name = ?");
    this.#page = this.#db.prepare("SELECT name, size FROM entry WHERE name > ? AND name < ? ORDER BY name LIMIT ?");
    this.#next = this.#db.prepare("SELECT name, size FROM entry WHERE name >= ? AND name < ? ORDER BY name LIMIT 1");
    this.#db.run("BEGIN");
  }

  /** Bytes of all files together, unpacked. */
  get bytes(): number {
    return this.#bytes;
  }

  add(name: string, size: number, place: Place = NOWHERE): void {
    this.count(name);
    if (size > ENTRY_BYTES_MAX) throw this.#refusal(`${quoted(name)} is larger than 16 GiB`);
    const { offset, packedSize, method, crc } = place;
    const { changes } = this.#insert.run(name, size, offset, packedSize, method, crc);
    if (changes === 0) throw this.#refusal(`two files are named ${quoted(name)}`);
    this.#bytes += size;
  }

  /** Counts a name that is no file, and checks it as those of files. */
  count(name: string): void {
    this.#seen += 1;
    if (this.#seen > ENTRIES_MAX) throw this.#refusal("it has more than 2,000,000 files");
    const problem = nameProblem(name);
    if (problem !== undefined) throw this.#refusal(problem);
  }

  find(name: string): Row | null {
    return this.#find.get(name);
  }

  /** Returns the files whose names begin so, sorted by their names. */
  *under(prefix: string): Generator<Entry> {
    let [after, page] = [prefix, [] as Entry[]];
    do {
      page = this.#page.all(after, endOf(prefix), PAGE);
      yield* page;
      after = page.at(-1)?.name ?? after;
    } while (page.length === PAGE);
  }

  /** Returns the names of what is directly in a folder; those of folders end with `/`. The folder is "" or ends so, too. */
  *children(folder: string): Generator<string> {
    let from = folder;
    for (;;) {
      const found = this.#next.get(from, endOf(folder));
      if (found === null) return;
      const slash = found.name.indexOf("/", folder.length);
      const name = slash < 0 ? found.name : found.name.slice(0, slash + 1);
      yield name;
      from = slash < 0 ? `${name}\u{1}` : endOf(name);
    }
  }

  /** Returns what an archive says of its files, from this list. */
  get directory() {
    return {
      path: this.#path,
      fingerprint: this.fingerprint(),
      bytes: this.bytes,
      find: (name: string) => this.find(name),
      under: (prefix: string) => this.under(prefix),
      children: (folder: string) => this.children(folder),
    };
  }

  /** Returns the SHA-256 of all names, sizes and checksums. */
  fingerprint(): string {
    const hash = createHash("sha256");
    const rows = this.#db.prepare<Row, []>("SELECT * FROM entry ORDER BY name").iterate();
    for (const { name, size, crc } of rows) hash.update(`${name}\0${size}\0${crc}\n`);
    return hash.digest("hex");
  }

  [Symbol.dispose](): void {
    this.#db.close();
  }

  #refusal(what: string): SourceError {
    return new SourceError(`${this.#path} is refused: ${what}. No exporting program writes this; export again.`);
  }
}

/** The first text after all those that begin with the prefix, by bytes. */
const endOf = (prefix: string): string => (prefix === "" ? "\u{10ffff}" : `${prefix.slice(0, -1)}${nextOf(prefix)}`);
const nextOf = (prefix: string): string => String.fromCodePoint((prefix.codePointAt(prefix.length - 1) ?? 0) + 1);
