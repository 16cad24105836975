import type { Db } from "../db.ts";

/** Adjacent tokens, in order. The caller makes them: no spaces, and of ASCII only `a-z0-9#@._-`. */
export interface Term {
  tokens: readonly string[];
  /** True if the last token may be a prefix. */
  isPrefix: boolean;
}

export interface IndexedMessage {
  id: number;
  /** In text order. */
  tokens: readonly string[];
}

export interface IndexQuery {
  /** All of them must occur. */
  terms: readonly Term[];
  /** At least one of these tokens must occur too; empty: no restriction. */
  anyOf: readonly string[];
  /** Ids below this one. */
  below: number;
  limit: number;
}

/**
 * The full-text index of messages. Promises, the same on both databases: a message is found by its latest tokens; a
 * removed message is not found; ids are sorted newest first.
 */
export interface SearchIndex {
  /** Adds messages, replacing existing entries with their ids. */
  put(db: Db, messages: readonly IndexedMessage[]): Promise<void>;
  /** Removes messages; unknown ids are ignored. */
  remove(db: Db, ids: readonly number[]): Promise<void>;
  find(db: Db, query: IndexQuery): Promise<number[]>;
}

/**
 * The purpose of the cursors of indexing (`channel_cursors`). It ends with the version of the words: with a new one, all
 * messages are indexed again, in the background.
 */
export const SEARCH_CURSORS = "search-2";

/** The purpose in the release before, whose nodes may still index. */
export const FORMER_SEARCH_CURSORS = "search";
