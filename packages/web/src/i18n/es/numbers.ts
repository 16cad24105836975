import { groupedIn, pluralIn } from "../locale.ts";

const forms = pluralIn("es");

/** Writes a whole number with the thousands separators of the user's variety of Spanish. */
export const grouped = (value: number | bigint): string => groupedIn("es", value);

/** Returns the number with the singular or plural. */
export const plural = (count: number, one: string, other: string): string => forms(count, { one, other });
