import type { Millis } from "../../../db/columns.ts";
import { type Fields, textOf } from "../fields.ts";

const SNOWFLAKE = /^\d{1,20}$/;
/** Discord's time begins with the year 2015. */
const BEGIN = Date.UTC(2015, 0, 1);
const TIME_SHIFT = 22n;

/** Returns an id; empty if the field has none. */
export function idOf(fields: Fields, name: string): string {
  const id = textOf(fields, name);
  return SNOWFLAKE.test(id) ? id : "";
}

/** Returns when an id was made. */
export const timeOfId = (id: string): Millis => Number(BigInt(id) >> TIME_SHIFT) + BEGIN;

/** Returns what decides among the ids of one millisecond. */
export const orderOfId = (id: string): number => Number(BigInt(id) & ((1n << TIME_SHIFT) - 1n));
