import { type RawBuilder, sql } from "kysely";

/** A column that refers to the ids of a table. */
export type Use = readonly [table: string, column: string];

/** True of a row to whose id none of these columns refers. */
export const isUnused = (table: "users" | "agents", uses: readonly Use[]): RawBuilder<boolean> =>
  sql<boolean>`(${sql.join(
    uses.map(
      ([other, column]) =>
        sql`not exists (select 1 from ${sql.table(other)} as used where ${sql.ref(`used.${column}`)} = ${sql.ref(`${table}.id`)})`,
    ),
    sql` and `,
  )})`;
