import type { Millis } from "../columns.ts";
import type { DataClasses } from "./data-classes.ts";

/** Names of deleted accounts, which nobody may take. Only hashes, so that the names themselves are not stored. */
export interface RetiredNamesTable {
  /** SHA-256 of the name's key, hex. */
  name_hash: string;
  retired_at: Millis;
}

/** Accounts that are being erased, and the progress. The row is deleted when the work is done. */
export interface ErasuresTable {
  user_id: number;
  /** The name to find and remove. */
  username: string;
  started_at: Millis;
  /** The name of the next step; an unknown one restarts from the first. */
  step: string;
  /** The progress within that step: two numbers whose meaning the step defines. */
  place_a: number;
  place_b: number;
}

export const dataClasses: DataClasses = {
  retired_names: { erased: { keep: "name_hash retired_at" } },
  erasures: { erased: { delete: "user_id", keep: "username started_at step place_a place_b" } },
};
