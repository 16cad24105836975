import { IMPORT_KINDS, type ImportKind } from "@parley/protocol/import-limits";

/** The things of a source that are counted (protocol §14.0). */
export const COUNTED = IMPORT_KINDS;

export interface Count {
  taken: number;
  /** Taken by an earlier import of the same source. */
  known: number;
  changed: number;
  left_out: number;
}

export type ImportCounts = Record<ImportKind, Count>;

export const noCounts = (): ImportCounts =>
  Object.fromEntries(COUNTED.map((name) => [name, { taken: 0, known: 0, changed: 0, left_out: 0 }])) as ImportCounts;

/** Returns a sum. */
export function addCounts(one: ImportCounts, other: ImportCounts): ImportCounts {
  const sum = noCounts();
  for (const name of COUNTED)
    for (const key of ["taken", "known", "changed", "left_out"] as const)
      sum[name][key] = one[name][key] + other[name][key];
  return sum;
}

export const countsOf = (column: string): ImportCounts => addCounts(noCounts(), JSON.parse(column) as ImportCounts);
