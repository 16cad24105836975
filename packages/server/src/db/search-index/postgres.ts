import { CompiledQuery } from "kysely";
import type { SearchIndex, Term } from "./search-index.ts";

const PUT = `insert into message_words (id, words)
  select id, words::tsvector from unnest($1::bigint[], $2::text[]) as message (id, words)
  on conflict (id) do update set words = excluded.words`;
const REMOVE = "delete from message_words where id = any ($1::bigint[])";
const FIND = `select id from message_words
  where words @@ $1::tsquery and id < $2 order by id desc limit $3`;

/**
 * tsvector with a GIN index. Lexemes are written as literals, so PostgreSQL applies no parser, dictionary or stop
 * words.
 */
export const postgresSearchIndex: SearchIndex = {
  async put(db, messages) {
    if (messages.length === 0) return;
    const parameters = [messages.map(({ id }) => id), messages.map(({ tokens }) => vector(tokens))];
    await db.executeQuery(CompiledQuery.raw(PUT, parameters));
  },

  async remove(db, ids) {
    if (ids.length > 0) await db.executeQuery(CompiledQuery.raw(REMOVE, [ids]));
  },

  async find(db, { terms, anyOf, below, limit }) {
    const parameters = [expression(terms, anyOf), below, limit];
    const { rows } = await db.executeQuery<{ id: number }>(CompiledQuery.raw(FIND, parameters));
    return rows.map(({ id }) => id);
  },
};

const vector = (tokens: readonly string[]): string =>
  tokens.map((token, index) => `${quoted(token)}:${index + 1}`).join(" ");

function expression(terms: readonly Term[], anyOf: readonly string[]): string {
  const scope = anyOf.length === 0 ? [] : [`(${anyOf.map(quoted).join(" | ")})`];
  return [...scope, ...terms.map(neighbours)].join(" & ");
}

const neighbours = ({ tokens, isPrefix }: Term): string =>
  `(${tokens.map((token, at) => quoted(token) + (isPrefix && at === tokens.length - 1 ? ":*" : "")).join(" <-> ")})`;

const quoted = (token: string): string => `'${token.replaceAll("\\", "\\\\").replaceAll("'", "''")}'`;
