import { CompiledQuery } from "kysely";
import type { SearchIndex, Term } from "./search-index.ts";

const PUT = "insert or replace into message_words (rowid, words) values (?, ?)";
const REMOVE = "delete from message_words where rowid = ?";
const FIND = `select rowid as id from message_words
  where message_words match ? and rowid < ? order by rowid desc limit ?`;

/**
 * FTS5, which reads a word's positions from the newest: a common word needs no sort, and a limit ends the scan. The
 * slowest queries are common words that rarely occur together: about 25 ms of the event loop per million messages. (A
 * lower bound of ids would not help, because FTS5 searches for a match before it checks the bound.)
 */
export const sqliteSearchIndex: SearchIndex = {
  async put(db, messages) {
    for (const { id, tokens } of messages) await db.executeQuery(CompiledQuery.raw(PUT, [id, tokens.join(" ")]));
  },

  async remove(db, ids) {
    for (const id of ids) await db.executeQuery(CompiledQuery.raw(REMOVE, [id]));
  },

  async find(db, { terms, anyOf, below, limit }) {
    const parameters = [expression(terms, anyOf), below, limit];
    const { rows } = await db.executeQuery<{ id: number }>(CompiledQuery.raw(FIND, parameters));
    return rows.map(({ id }) => id);
  },
};

/** The scope is first, because it is the rarer term if given. */
function expression(terms: readonly Term[], anyOf: readonly string[]): string {
  const scope = anyOf.length === 0 ? [] : [`(${anyOf.map(quoted).join(" OR ")})`];
  const wanted = terms.map(({ tokens, isPrefix }) => quoted(tokens.join(" ")) + (isPrefix ? " *" : ""));
  return [...scope, ...wanted].join(" AND ");
}

/** In quotes, FTS5 parses no operators. */
const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`;
