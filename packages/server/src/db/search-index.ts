import { type Kysely, SqliteAdapter } from "kysely";
import { postgresSearchIndex } from "./search-index.postgres.ts";
import { sqliteSearchIndex } from "./search-index.sqlite.ts";
import type { Tables } from "./tables.ts";

type Db = Kysely<Tables>;

/** Tokens that stand side by side, in order. Tokens are made by the caller: no spaces, no ASCII but `a-z0-9#@._-`. */
export interface Term {
  tokens: readonly string[];
  /** The last token may be the beginning of one. */
  isPrefix: boolean;
}

export interface IndexedMessage {
  id: number;
  /** In the order of the text. */
  tokens: readonly string[];
}

export interface IndexQuery {
  /** All of them must occur. */
  terms: readonly Term[];
  /** One of these tokens must occur too; empty: none has to. */
  anyOf: readonly string[];
  /** Ids below this one. */
  below: number;
  limit: number;
}

/**
 * The full-text index of messages. Promises, the same on both databases: a message is found by the tokens it was put with last; what was
 * removed is not found; ids come newest first.
 */
export interface SearchIndex {
  /** Adds messages, in the place of what was there under their ids. */
  put(db: Db, messages: readonly IndexedMessage[]): Promise<void>;
  /** Takes messages out; ids that are not in it do no harm. */
  remove(db: Db, ids: readonly number[]): Promise<void>;
  find(db: Db, query: IndexQuery): Promise<number[]>;
}

/** The index of this database. */
export function searchIndex(db: Db): SearchIndex {
  return db.getExecutor().adapter instanceof SqliteAdapter ? sqliteSearchIndex : postgresSearchIndex;
}
