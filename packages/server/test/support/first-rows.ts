import { type Clock, systemClock } from "../../src/clock.ts";

/** What a migration with `MARKING` writes where it would write the time or an epoch. */
const TIME_MARK = 1_111_111_111_111;
const EPOCH_BYTES = 12;
const EPOCH_MARK = "5a".repeat(EPOCH_BYTES);

/** A clock for the migration of a template, so that copies of the template can be given times and epochs of their own. */
export const MARKING: Clock = {
  ...systemClock,
  now: () => TIME_MARK,
  random: (length) => new Uint8Array(length).fill(0x5a),
};

/** A column with a mark. */
export interface Marked {
  readonly table: string;
  readonly column: string;
  readonly mark: "time" | "epoch";
}

/** Returns which columns of a row have marks. */
export function marksIn(table: string, row: object): Marked[] {
  return Object.entries(row).flatMap(([column, value]): Marked[] => {
    if (value === TIME_MARK) return [{ table, column, mark: "time" }];
    return value === EPOCH_MARK ? [{ table, column, mark: "epoch" }] : [];
  });
}

/** Returns the statements that replace the marks by the time of this clock and a new epoch, as a migration takes them. */
export function replaceMarks(marked: readonly Marked[], clock: Clock, prefix = ""): string[] {
  const values = {
    time: [clock.now(), TIME_MARK],
    epoch: [`'${Buffer.from(clock.random(EPOCH_BYTES)).toString("hex")}'`, `'${EPOCH_MARK}'`],
  };
  return marked.map(({ table, column, mark }) => {
    const [value, old] = values[mark];
    return `update ${prefix}${table} set ${column} = ${value} where ${column} = ${old}`;
  });
}
