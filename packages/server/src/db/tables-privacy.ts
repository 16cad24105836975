import type { Millis } from "./tables.ts";

/** Names of accounts that were deleted: nobody may pass for them. Only a hash, so that the name itself stands nowhere. */
export interface RetiredNamesTable {
  /** SHA-256 of the name's key, hex. */
  name_hash: string;
  retired_at: Millis;
}

/** Accounts that are being erased, and how far that has come. The row goes with the work. */
export interface ErasuresTable {
  user_id: number;
  /** The name that is to be found and taken away. */
  username: string;
  started_at: Millis;
  /** The step that comes next, by its name; one that is unknown begins again from the first. */
  step: string;
  /** How far that step has come: two numbers that mean what it likes. */
  place_a: number;
  place_b: number;
}
