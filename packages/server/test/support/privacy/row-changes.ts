import { DELETED_USER } from "@parley/protocol/privacy";
import type { Kysely } from "kysely";
import type { Tables } from "../../../src/db/tables/tables.ts";
import { type Column, type Row, rowsOf } from "./filled-tables.ts";

/** What happens to the rows that a database has at first. */
export class RowChanges {
  readonly #db: Kysely<Tables>;
  readonly #columns: ReadonlyMap<string, readonly Column[]>;
  readonly #changes = new Map<string, Map<string, Set<string>>>();
  readonly #deleting = new Set<string>();
  #known: Map<string, Row[]>;

  private constructor(db: Kysely<Tables>, columns: ReadonlyMap<string, readonly Column[]>, known: Map<string, Row[]>) {
    this.#db = db;
    this.#columns = columns;
    this.#known = known;
  }

  static async watch(db: Kysely<Tables>, columns: ReadonlyMap<string, readonly Column[]>): Promise<RowChanges> {
    return new RowChanges(db, columns, await rowsOf(db, columns.keys()));
  }

  /** Runs a step, and notes what it changes. */
  async during(step: string, act: () => Promise<void>): Promise<void> {
    await act();
    const now = await rowsOf(this.#db, this.#known.keys());
    const left = new Map<string, Row[]>();
    for (const [table, rows] of this.#known) {
      const keys = (this.#columns.get(table) ?? []).filter(({ isKey }) => isKey);
      const keyOf = (row: Row) => JSON.stringify(keys.map(({ name }) => row[name]));
      const after = new Map((now.get(table) ?? []).map((row) => [keyOf(row), row]));
      const stay = rows.flatMap((row) => {
        const newer = after.get(keyOf(row));
        if (newer === undefined) this.#deleting.add(table);
        else for (const [column, value] of Object.entries(newer)) this.#note(table, column, row[column], value, step);
        return newer === undefined ? [] : [newer];
      });
      left.set(table, stay);
    }
    this.#known = left;
  }

  #note(table: string, column: string, before: unknown, after: unknown, step: string): void {
    if (Bun.deepEquals(before, after)) return;
    const columns = this.#changes.get(table) ?? new Map<string, Set<string>>();
    this.#changes.set(table, columns);
    const name = after === null ? "null" : after === DELETED_USER ? "label" : step;
    columns.set(column, (columns.get(column) ?? new Set()).add(name));
  }

  /** Returns whether rows were deleted, and the columns that changed: to null, to the label, or by which steps. */
  changesOf(table: string): Record<string, unknown> {
    const changes = [...(this.#changes.get(table) ?? [])].map(([column, names]) => [column, [...names].join(" ")]);
    return { table, deletes: this.#deleting.has(table), ...Object.fromEntries(changes) };
  }

  /** Returns those of the rows that are left. */
  rows(table: string): readonly Row[] {
    return this.#known.get(table) ?? [];
  }
}
